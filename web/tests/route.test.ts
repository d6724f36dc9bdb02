import { expect, it } from "vitest";
import { routeOf } from "../src/route.ts";

it.each([
  ["/", "", { page: "join", code: "" }],
  ["/", "?code=AB12CD", { page: "join", code: "AB12CD" }],
  ["/student", "", { page: "student" }],
  ["/write", "", { page: "write" }],
  ["/teacher", "", { page: "classes" }],
  ["/teacher/first", "?token=xyz", { page: "first", token: "xyz" }],
  ["/teacher/classes/7", "", { page: "class", id: "7" }],
  ["/teacher/classes/a%20b/letters", "", { page: "letters", id: "a b" }],
  ["/teacher/classes/7/report", "", { page: "report", id: "7", lesson: "" }],
  ["/teacher/classes/7/report", "?lesson=2", { page: "report", id: "7", lesson: "2" }],
  ["/teacher/classes/7/history", "", { page: "history", id: "7" }],
  ["/teacher/activities", "", { page: "editor", id: "", copy: false }],
  ["/teacher/activities/7", "", { page: "editor", id: "7", copy: false }],
  ["/teacher/activities/7/copy", "", { page: "editor", id: "7", copy: true }],
  ["/teacher/classes/", "", { page: "classes" }],
  ["/teacher/classes/5%", "", { page: "class", id: "5%" }],
  ["/somewhere", "", { page: "join", code: "" }],
])("%s%s is a page", (path, query, route) => {
  expect(routeOf(path, query)).toEqual(route);
});
