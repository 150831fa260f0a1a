import { TimestampSchema, TypeSchema } from "@bufbuild/protobuf/wkt";
import { describe, expect, it } from "vitest";
import { resolveFieldPath, suggest } from "./field-path.ts";

describe("suggest", () => {
  it.each([
    ["nmae", ["name", "title"], "; did you mean `name`?"],
    ["blog_identifer", ["blog_identifier"], "; did you mean `blog_identifier`?"],
    ["x", ["alpha", "beta"], "; it has `alpha`, `beta`"],
    ["x", [], "; it has none"],
    [
      "quux",
      [..."abcdefghij"].map((letter) => letter.repeat(9)),
      `; it has ${[..."abcdefgh"].map((letter) => `\`${letter.repeat(9)}\``).join(", ")}, …`,
    ],
  ])("%s", (name, candidates, text) => {
    expect(suggest(name, candidates)).toBe(text);
  });
});

describe("resolveFieldPath", () => {
  it("finds fields by their names in the .proto file", () => {
    const { fields } = resolveFieldPath(TypeSchema, "source_context.file_name");
    expect(fields?.map(({ name }) => name)).toEqual(["source_context", "file_name"]);
  });

  it.each([
    [
      "sourceContext",
      "message google.protobuf.Type has no field `sourceContext`; did you mean `source_context`?",
    ],
    ["name.x", "`name` is not a message, so it has no field `x`"],
    ["fields.name", "`fields` is not a message, so it has no field `name`"],
  ])("says what is wrong with %s", (path, fault) => {
    expect(resolveFieldPath(TypeSchema, path)).toEqual({ fault });
  });

  it("says what there is to choose from", () => {
    expect(resolveFieldPath(TimestampSchema, "").fault).toBe(
      "message google.protobuf.Timestamp has no field ``; it has `seconds`, `nanos`",
    );
  });
});
