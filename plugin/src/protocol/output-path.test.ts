import { posix, win32 } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { pathFault } from "./output-path.ts";

test("dots inside a component are safe", () => {
  expect(pathFault(".a/..b/foo..bar.ts")).toBe(undefined);
});

test("an empty path is not safe", () => {
  expect(pathFault("")).toBe("it is empty");
});

const piece = fc.oneof(fc.constantFrom("..", ".", "", "/", "\\", "a", ".."), fc.string({ maxLength: 3 }));

test("property: a safe path stays in the output directory, has one spelling, and means the same on Windows", () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 6 }), fc.constantFrom("/", "\\", ""), (pieces, separator) => {
      const path = pieces.join(separator);
      if (pathFault(path) !== undefined) return;
      expect(posix.normalize(path)).toBe(path);
      expect(posix.resolve("/out", path)).toBe(`/out/${path}`);
      expect(win32.isAbsolute(path) && !/^[A-Za-z]:/.test(path)).toBe(false);
    }),
    { numRuns: 500, interruptAfterTimeLimit: 2000 },
  );
});
