import fc from "fast-check";
import { expect, test } from "vitest";
import { ParameterError, parseParameter } from "../protocol/parameter.ts";
import { parseOptions } from "./options.ts";

const specs = {
  mode: { help: "how", default: "a", values: ["a", "b"] },
  title: { help: "what", default: "none" },
};

test("parseOptions ignores blanks and empty items between options", () => {
  expect(parseOptions(" mode=b ,, import_extension=.js,", specs)).toEqual({
    own: { mode: "b", title: "none" },
    common: { ...parseParameter(""), importExtension: "js" },
  });
});

test("parseOptions rejects targets other than TypeScript for generators that add to adapters", () => {
  expect(() => parseOptions("target=js+dts", specs)).toThrow(
    new ParameterError(
      "option target=js+dts: what is added to adapters is TypeScript, and so must they be; expected ts",
    ),
  );
});

test("property: option values are parsed unchanged", () => {
  const text = fc.string().filter((value) => !value.includes(",") && value === value.trim());
  fc.assert(
    fc.property(fc.constantFrom("a", "b"), text, (mode, title) => {
      expect(parseOptions(`title=${title},mode=${mode}`, specs).own).toEqual({ mode, title });
    }),
  );
});

test("property: any string is parsed, or rejected with an error that names the option", () => {
  fc.assert(
    fc.property(fc.string(), (parameter) => {
      try {
        parseOptions(parameter, specs);
      } catch (error) {
        expect(error).toBeInstanceOf(ParameterError);
        expect((error as ParameterError).message).toMatch(/option /);
      }
    }),
  );
});
