import packageJson from "../package.json" with { type: "json" };

/** The version of the generator, from its package.json. */
export const VERSION: string = packageJson.version;
