import packageJson from "../package.json" with { type: "json" };

/** The version of the generator, as its package says. */
export const VERSION: string = packageJson.version;
