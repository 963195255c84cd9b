/** The recorded explorers; `tests/contract/test_explorers.py` says what each explains. */
import additiveFixture from "../../tests/contract/explorers/additive.json";
import clinicFixture from "../../tests/contract/explorers/clinic.json";
import elevenClassesFixture from "../../tests/contract/explorers/eleven_classes.json";
import fourModelsFixture from "../../tests/contract/explorers/four_models.json";
import namesFixture from "../../tests/contract/explorers/names.json";
import observedFixture from "../../tests/contract/explorers/observed.json";
import rentalModelsFixture from "../../tests/contract/explorers/rental_models.json";
import rentalsFixture from "../../tests/contract/explorers/rentals.json";
import steppedFixture from "../../tests/contract/explorers/stepped.json";
import threeClassesFixture from "../../tests/contract/explorers/three_classes.json";
import twoModelsFixture from "../../tests/contract/explorers/two_models.json";
import weatherFixture from "../../tests/contract/explorers/weather.json";
import { RecordedKernel } from "./recorded.ts";

export const clinic = await RecordedKernel.read(clinicFixture);
export const rentals = await RecordedKernel.read(rentalsFixture);
export const weather = await RecordedKernel.read(weatherFixture);
export const observed = await RecordedKernel.read(observedFixture);
export const stepped = await RecordedKernel.read(steppedFixture);
export const additive = await RecordedKernel.read(additiveFixture);
export const names = await RecordedKernel.read(namesFixture);
export const threeClasses = await RecordedKernel.read(threeClassesFixture);
export const elevenClasses = await RecordedKernel.read(elevenClassesFixture);
export const twoModels = await RecordedKernel.read(twoModelsFixture);
export const fourModels = await RecordedKernel.read(fourModelsFixture);
export const rentalModels = await RecordedKernel.read(rentalModelsFixture);
