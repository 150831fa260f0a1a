import fc from "fast-check";
import { expect, test } from "vitest";
import { OPTION_NAMES, ParameterError, parseParameter } from "./parameter.ts";

const DEFAULTS = {
  targets: ["ts"],
  importExtension: "none",
  mapImports: [],
  rewriteImports: [],
  comments: false,
  keepEmptyFiles: false,
  tsNocheck: false,
  unsupported: "error",
  serviceConfigs: [],
};
const NO_TARGET = "expected ts, js or dts, or some joined by +, e.g. js+dts";

// an error names only the first eight options
const CHOICES = `; it has ${OPTION_NAMES.slice(0, 8)
  .map((name) => `\`${name}\``)
  .join(", ")}, …`;

test.each([
  ["", DEFAULTS],
  [",, ,", DEFAULTS],
  ["target=ts", DEFAULTS],
  ["target=js+dts", { ...DEFAULTS, targets: ["js", "dts"] }],
  ["target=dts+ts+dts", { ...DEFAULTS, targets: ["dts", "ts"] }],
  ["keep_empty_files=true,ts_nocheck=1", { ...DEFAULTS, keepEmptyFiles: true, tsNocheck: true }],
  ["comments=true", { ...DEFAULTS, comments: true }],
  ["keep_empty_files=0,js_import_style=module", DEFAULTS],
  ["import_extension=ts", { ...DEFAULTS, importExtension: "ts" }],
  ["import_extension=.js", { ...DEFAULTS, importExtension: "js" }],
  [" target=ts , import_extension=none ", DEFAULTS],
  ["import_extension=js,import_extension=ts", { ...DEFAULTS, importExtension: "ts" }],
  [
    "map_imports=a/:@acme/a,map_imports=b:c:d",
    {
      ...DEFAULTS,
      mapImports: [
        { pattern: "a/", target: "@acme/a" },
        { pattern: "b", target: "c:d" },
      ],
    },
  ],
  ["rewrite_imports=:", { ...DEFAULTS, rewriteImports: [{ pattern: "", target: "" }] }],
  ["unsupported=skip", { ...DEFAULTS, unsupported: "skip" }],
  ["service_config=a.yaml,service_config=b=.json", { ...DEFAULTS, serviceConfigs: ["a.yaml", "b=.json"] }],
])("parseParameter parses %j", (text, options) => {
  expect(parseParameter(text)).toMatchObject(options);
});

test.each([
  ["target=mjs", `option target=mjs: ${NO_TARGET}`],
  ["target=js+", `option target=js+: ${NO_TARGET}`],
  ["target", `option target=: ${NO_TARGET}`],
  ["target=", `option target=: ${NO_TARGET}`],
  ["keep_empty_files=yes", "option keep_empty_files=yes: expected true or false or 1 or 0"],
  [
    "js_import_style=legacy_commonjs",
    "option js_import_style=legacy_commonjs: expected module; adapters are ECMAScript modules, which CommonJS can load with require too",
  ],
  ["import_extension=mjs", "option import_extension=mjs: expected ts or js or none"],
  ["import_extension=ts=ts", "option import_extension=ts=ts: expected ts or js or none"],
  ...["map_imports=a", "map_imports=:a", "map_imports=a:", "rewrite_imports=a"].map(
    (option): [string, string] => [
      option,
      `option ${option}: expected <pattern>:<target>, e.g. buf/validate/:@bufbuild/protovalidate/gen`,
    ],
  ),
  ["import_ext=ts", `unknown option \`import_ext\`${CHOICES}`],
  ["constructor=ts", `unknown option \`constructor\`${CHOICES}`],
  ["=ts", `unknown option \`\`${CHOICES}`],
  ["targt=ts", "unknown option `targt`; did you mean `target`?"],
])("parseParameter rejects %j", (text, message) => {
  expect(() => parseParameter(text)).toThrow(new ParameterError(message));
});

test("property: parseParameter returns options or throws ParameterError for any string", () => {
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
