import { expect, test } from "vitest";
import { decoded } from "./both.ts";
import { methodOf, read } from "./field.ts";

test("a number in a google.protobuf.Value stays a number if it is at most 2^53 or is written as a double", () => {
  const exponents = Array.from({ length: 31 }, (_, index) => index * 10 + 8);
  const numbers = [
    ...exponents.flatMap((power) => [`1e${power}`, `1E+${power}`, `-1.2345678901234567e+${power}`, `7.5e-${power}`]),
    "1.7976931348623157e+308", "5e-324", "1.0e+25", "9007199254740993.0", "735000000000051461.0", "1.5", "-0.0",
    "9007199254740991", "-9007199254740991",
  ]; // biome-ignore format: a table
  for (const number of numbers) {
    for (const token of [number, `[${number}]`, `{"a":${number}}`]) {
      const found = read("value", token);
      expect(found, number).toBeDefined();
      const body = Buffer.from(`{"key":${token}}`);
      const { message, differences } = decoded(methodOf("value"), body);
      const double = Buffer.alloc(8);
      double.writeDoubleLE(Number(number));
      expect(message, number).toContain(`11${double.toString("hex")}`);
      expect(differences.list).toEqual([]);
    }
  }
});

test("a larger integer in a google.protobuf.Value becomes a string, even if a double can hold it", () => {
  for (const number of [
    "9007199254740992",
    "9007199254740993",
    "-9007199254740994",
    "10000000000000000000",
    "735000000000051461",
    "-735000000000051461",
    "18446744073709551615",
    "1e400",
  ]) {
    if (number !== "1e400") expect(read("value", number), number).toBeDefined();
    const { message, differences } = decoded(methodOf("value"), Buffer.from(`{"key":${number}}`));
    const text = number === "1e400" ? `1${"0".repeat(400)}` : number;
    expect(message).toContain(Buffer.from(text).toString("hex"));
    expect(differences.list).toMatchObject([{ class: "converted" }]);
  }
});
