// cspell:ignore juergen Søren Łukasz soren lukasz oneill
import { expect, test } from "vitest";

import { suggestLocalPart } from "./suggest-address.ts";

test.each([
  ["Ann Lee", "ann.lee"],
  ["  Ann  M. Lee ", "ann.m.lee"],
  ["Zoë Lee", "zoe.lee"],
  ["Jürgen Groß", "juergen.gross"],
  ["Søren Łukasz", "soren.lukasz"],
  ["Anne-Marie O’Neill", "anne-marie.oneill"],
  ["- Ann -", "ann"],
  ["Ann", "ann"],
  ["王小明", ""],
  ["", ""],
])("%j suggests %j", (name, localPart) => {
  expect(suggestLocalPart(name)).toBe(localPart);
});
