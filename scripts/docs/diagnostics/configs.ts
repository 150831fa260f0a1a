import type { Diagnostics } from "./diagnostic.ts";

/** Problems of service configs. */
export const CONFIG_DIAGNOSTICS: Diagnostics = {
  "Service configs": {
    "config-file": {
      meaning:
        "A file that the option `service_config` names cannot be read. Paths are relative to the folder in which the compiler runs.",
      remedy: "Fix the path.",
      config: {
        source: ["# there is no such file", ""].join("\n"),
        problem:
          "shelf.yaml:1:1: config-file: the service config cannot be read: ENOENT: no such file or directory, open 'shelf.yaml'",
      },
    },
    "config-syntax": {
      meaning:
        "A service config is not valid YAML (or JSON, which is a subset of YAML). The text of the problem comes from the YAML parser.",
      remedy: "Correct the file at the reported position.",
      config: {
        source: ["connectrest:", "  services: ["].join("\n"),
        problem:
          "shelf.yaml:3:1: config-syntax: Flow sequence in block collection must be sufficiently indented and end with a ]",
      },
    },
    "config-key": {
      meaning: "A service config has an unknown key. Keys are field names, as declared or in lowerCamelCase.",
      remedy: "Fix the name.",
      config: {
        source: [
          "connectrest:",
          "  methods:",
          "    - selector: shelf.v1.Shelf.GetBook",
          "      rules: { timeuot: 5s }",
        ].join("\n"),
        problem:
          "shelf.yaml:4:16: config-key: connectrest.methods[0].rules: unknown key `timeuot`; did you mean `timeout`?",
      },
    },
    "config-missing": {
      meaning: "An entry has no `selector` or no `rules`.",
      remedy: "Add the missing key.",
      config: {
        source: ["connectrest:", "  services:", "    - rules: { upstream: shelf }"].join("\n"),
        problem:
          "shelf.yaml:3:7: config-missing: connectrest.services[0] has no `selector`, so it applies to nothing",
      },
    },
    "config-selector": {
      meaning: "A selector is not a full name, or selects nothing in the files of the run.",
      remedy:
        "Use the full name of a service, method, field, oneof or enum value, or a prefix with `.*`, which selects everything below it.",
      config: {
        source: ["http:", "  rules:", "    - selector: shelf.v1.Shelf.GetBok", "      get: /books/{id}"].join(
          "\n",
        ),
        problem:
          "shelf.yaml:3:17: config-selector: `shelf.v1.Shelf.GetBok` matches no method in the files of this run; did you mean `shelf.v1.Shelf.GetBook`?",
      },
    },
    "config-twice": {
      meaning: "Two keys set the same rule, or belong to the same oneof, such as two verbs.",
      remedy: "Keep one of the keys. Write further paths as `additional_bindings`.",
      config: {
        source: [
          "http:",
          "  rules:",
          "    - selector: shelf.v1.Shelf.GetBook",
          "      get: /books/{id}",
          "      post: /books",
        ].join("\n"),
        problem:
          "shelf.yaml:5:7: config-twice: http.rules[0]: `post` and `get` are mutually exclusive; keep one",
      },
    },
    "config-type": {
      meaning: "A value does not have the type of its field.",
      remedy: "Use a value of the type that the problem names.",
      config: {
        source: [
          "connectrest:",
          "  services:",
          "    - selector: shelf.v1.Shelf",
          "      rules: { upstream: 5 }",
        ].join("\n"),
        problem:
          "shelf.yaml:4:26: config-type: connectrest.services[0].rules.upstream: expected a string, got the number 5; put it in quotes",
      },
    },
    "config-value": {
      meaning:
        "A value is not allowed for its field: an unknown name of an enum value, or an invalid duration.",
      remedy: "Use one of the names, or a duration in seconds such as `1.5s`.",
      config: {
        source: [
          "connectrest:",
          "  services:",
          "    - selector: shelf.v1.Shelf",
          "      rules: { credentials: [API_KEZ] }",
        ].join("\n"),
        problem:
          "shelf.yaml:4:30: config-value: connectrest.services[0].rules.credentials[0]: expected a value of connectrest.v1.Credential.Kind, got the string `API_KEZ`; did you mean `API_KEY`?",
      },
    },
  },
};
