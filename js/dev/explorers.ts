/** The recorded explorers; `tests/contract/test_explorers.py` says what each explains. */
import { RecordedKernel } from "./recorded.ts";

const read = async (name: string): Promise<RecordedKernel> =>
  RecordedKernel.read((await import(`../../tests/contract/explorers/${name}.json`)).default);

export const clinic = await read("clinic");
export const rentals = await read("rentals");
export const weather = await read("weather");
export const observed = await read("observed");
export const stepped = await read("stepped");
export const additive = await read("additive");
export const names = await read("names");
export const threeClasses = await read("three_classes");
export const elevenClasses = await read("eleven_classes");
export const twoModels = await read("two_models");
export const fourModels = await read("four_models");
export const rentalModels = await read("rental_models");
