/** Small documents, one for each family of constructs. */
export const FAMILIES: readonly string[] = [
  "parameters.yaml",
  "bodies.yaml",
  "schemas.yaml",
  "enums.json",
  "composition.yaml",
  "unions.yaml",
  "tuples.yaml",
  "swagger.json",
  "security.yaml",
  "names.yaml",
  "streams.yaml",
  "pages.yaml",
  "errors.yaml",
  "omitted.yaml",
  "split/openapi.yaml",
];

export const FAMILY_FOLDER = "test/import/documents";

/** The documents that consist of one file, with their paths. */
export const SINGLE_FILES: readonly (readonly [name: string, path: string])[] = FAMILIES.filter(
  (file) => !file.includes("/"),
).map((file) => [file, `${FAMILY_FOLDER}/${file}`]);
