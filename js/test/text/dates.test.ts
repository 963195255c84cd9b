import { describe, expect, test } from "vitest";
import {
  type Clock,
  dateText,
  dateTicks,
  dateWriter,
  instantOf,
  spanTexts,
  unitOf,
  wallOf,
} from "../../src/text/dates.ts";

const day = (text: string): number => Date.parse(text) / 86_400_000;
test.each([
  [day("2026-03-14T00:00Z"), "2026-03-14"],
  [day("2026-03-14T06:30Z"), "2026-03-14 06:30"],
  [day("2026-03-14T06:30:05Z"), "2026-03-14 06:30:05"],
  [day("2026-03-14T06:30:05.250Z"), "2026-03-14 06:30:05.250"],
  [day("1969-12-31T00:00Z"), "1969-12-31"],
  [1e12, "–"], // beyond what a date can be
  [Number.NaN, "–"],
])("the point in time %d is written %s", (time, written) => {
  expect(dateText(time)).toBe(written);
});

describe("among others a point in time is written no finer than their span asks for", () => {
  test.each([
    ["2026-03-24", "2026-03-14 22:09:13.846"],
    ["2026-03-25", "2026-03-14 22:09"],
    ["2036-03-14", "2026-03-14"],
  ])("up to %s: %s", (until, written) => {
    const write = dateWriter([Number.NaN, day("2026-03-14"), day(until)]);
    expect(write(day("2026-03-14T22:09:13.846Z"))).toBe(written);
  });

  test("and what lies on a minute is never written as the one before", () => {
    const write = dateWriter([day("2026-01-01"), day("2026-03-01")]);
    expect(write(day("2026-01-14T12:01Z") - 1e-11)).toBe("2026-01-14 12:01");
  });
});

test.each([
  ["years", "2009-03-01", "2026-06-01", 5, ["2010", "2015", "2020", "2025"]],
  [
    "months, with the year at first and where it changes",
    "2025-08-10",
    "2026-05-20",
    5,
    ["Oct 2025", "Jan 2026", "Apr"],
  ],
  ["days, with the year as well", "2025-12-25", "2026-01-12", 3, ["28 Dec 2025", "4 Jan 2026", "11 Jan"]],
  ["hours, with the day", "2026-10-05T03:00Z", "2026-10-06T16:00Z", 4, ["5 Oct 12:00", "6 Oct 00:00", "12:00"]],
  ["seconds", "2026-10-05T03:00:00Z", "2026-10-05T03:00:40Z", 3, ["5 Oct 03:00:00", "03:00:15", "03:00:30"]],
])("ticks stand on round %s", (_unit, from, to, wanted, labels) => {
  expect(dateTicks([day(from), day(to)], wanted).map(({ label }) => label)).toEqual(labels);
});

test("the values of ticks are days since 1970", () => {
  expect(dateTicks([day("2009-03-01"), day("2026-06-01")], 5)[0]!.value).toBe(day("2010-01-01"));
});

test.each([
  [[1, 40], "days"],
  [[0.1, 2], "hours"],
  [[0.002, 0.05], "minutes"],
  [[-0.002, 0.0001], "seconds"],
  [[1e-9], "seconds"],
  [[0], "days"],
  [[Number.NaN, 5], "days"],
])("durations %j are read in %s", (durations, name) => {
  expect(unitOf(durations).name).toBe(name);
});

test("the ends of a stretch of time are no finer than its length", () => {
  expect(spanTexts([day("2009-03-01T18:43:12Z"), day("2026-06-01T01:00Z")])).toEqual(["2009-03-02", "2026-06-01"]);
  expect(spanTexts([day("2026-06-01T01:00:29Z"), day("2026-06-02")])).toEqual(["2026-06-01 01:00", "2026-06-02"]);
});

describe("clocks of a time zone", () => {
  const berlin: Clock = [
    [day("2024-01-01T00:00Z"), 1 / 24],
    [day("2024-03-31T01:00Z"), 2 / 24],
    [day("2024-10-27T01:00Z"), 1 / 24],
  ];
  const ticks = (from: string, to: string, wanted: number) => dateTicks([day(from), day(to)], wanted, berlin);

  test("show what is theirs in summer, in winter and before the first change", () => {
    expect(dateText(day("2024-07-01T10:00Z"), berlin)).toBe("2024-07-01 12:00");
    expect(dateText(day("2023-07-01T10:00Z"), berlin)).toBe("2023-07-01 11:00");
    expect(spanTexts([day("2024-06-30T22:00Z"), day("2024-12-31T23:00Z")], berlin)).toEqual([
      "2024-07-01",
      "2025-01-01",
    ]);
    expect(dateWriter([0, 20000], berlin)(day("2024-06-30T22:00Z"))).toBe("2024-07-01");
  });

  test("leave out an hour, which has no moment, and show another one twice, which has the first", () => {
    const wall = day("2024-03-31T02:30Z");
    expect(instantOf(berlin, wall)).toBeNull();
    expect(instantOf(berlin, day("2024-10-27T02:30Z"))).toBeCloseTo(day("2024-10-27T01:30Z"), 6);
    expect(wallOf([], wall)).toBe(wall);
  });

  test("have ticks where they are round: at midnights of summer and winter, and at none that is left out", () => {
    const months = ticks("2024-01-01T00:00Z", "2025-01-01T00:00Z", 4);
    expect(months.map(({ label }) => label)).toEqual(["Apr 2024", "Jul", "Oct", "Jan 2025"]);
    const at = ["2024-03-31T22:00Z", "2024-06-30T22:00Z", "2024-09-30T22:00Z", "2024-12-31T23:00Z"].map(day);
    for (const [place, { value }] of months.entries()) expect(value).toBeCloseTo(at[place]!, 6);
    const hours = ticks("2024-03-30T22:00Z", "2024-03-31T04:00Z", 6).map(({ label }) => label.split(" ").at(-1));
    expect(hours).toEqual(["23:00", "00:00", "01:00", "03:00", "04:00", "05:00", "06:00"]);
  });
});
