import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { OPTION_NAMES, ParameterError, parseParameter } from "./parameter.ts";

const DEFAULTS = { importExtension: "none", unsupported: "error", serviceConfigs: [] };

const CHOICES = `; it has ${OPTION_NAMES.map((name) => `\`${name}\``).join(", ")}`;

describe("parseParameter", () => {
  it.each([
    ["", DEFAULTS],
    [",, ,", DEFAULTS],
    ["target=ts", DEFAULTS],
    ["import_extension=ts", { ...DEFAULTS, importExtension: "ts" }],
    ["import_extension=.js", { ...DEFAULTS, importExtension: "js" }],
    [" target=ts , import_extension=none ", DEFAULTS],
    ["import_extension=js,import_extension=ts", { ...DEFAULTS, importExtension: "ts" }],
    ["unsupported=skip", { ...DEFAULTS, unsupported: "skip" }],
    ["service_config=a.yaml,service_config=b=.json", { ...DEFAULTS, serviceConfigs: ["a.yaml", "b=.json"] }],
  ])("reads %j", (text, options) => {
    expect(parseParameter(text)).toMatchObject(options);
  });

  it.each([
    ["target=js", "option target=js: expected ts"],
    ["target", "option target=: expected ts"],
    ["target=", "option target=: expected ts"],
    ["import_extension=mjs", "option import_extension=mjs: expected ts or js or none"],
    ["import_extension=ts=ts", "option import_extension=ts=ts: expected ts or js or none"],
    ["import_ext=ts", `unknown option \`import_ext\`${CHOICES}`],
    ["constructor=ts", `unknown option \`constructor\`${CHOICES}`],
    ["=ts", `unknown option \`\`${CHOICES}`],
    ["targt=ts", "unknown option `targt`; did you mean `target`?"],
  ])("refuses %j", (text, message) => {
    expect(() => parseParameter(text)).toThrow(new ParameterError(message));
  });

  it("gives options or a ParameterError for any text", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        try {
          parseParameter(text);
        } catch (error) {
          expect(error).toBeInstanceOf(ParameterError);
        }
      }),
    );
  });
});
