import { describe, expect, it } from "vitest";
import { Refused, Unreachable } from "../../src/api/calls.ts";
import { classesIn } from "../../src/api/offered.ts";

const called = (...titles: string[]) =>
  titles.map((title, place) => ({ id: `c${place}`, title, students: place }));

describe("the classes that are offered", () => {
  it("come in the order that people expect", () => {
    const classes = called("10a", "7b", "Zoo", "7a", "Ähren");
    const found = classesIn(new Refused(409, "", "roster_classes", {}, classes), "de");
    expect(found.map(({ title }) => title)).toEqual(["7a", "7b", "10a", "Ähren", "Zoo"]);
    expect(found[0]).toEqual({ id: "c3", title: "7a", students: 3 });
  });

  it.each([null, new Unreachable(""), new Refused(422, "", "roster_no_class")])(
    "are none where nothing is offered",
    (error) => {
      expect(classesIn(error, "en")).toEqual([]);
    },
  );
});
