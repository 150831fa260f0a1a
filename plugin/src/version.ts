import packageJson from "../package.json" with { type: "json" };

/** The version of the generator, from its package. */
export const VERSION: string = packageJson.version;
