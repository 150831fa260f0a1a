/**
 * Provides `require` in a bundle. undici is CommonJS: a bundler of ES modules, such as esbuild, leaves
 * undici's calls of `require` for Node's modules to a global function. Without a bundler, nothing changes.
 */
import { createRequire } from "node:module";

/** The location of this module, or of the bundle; undefined in CommonJS bundles and in workerd. */
const location: string | undefined = import.meta.url;
const isInPackage = location !== undefined && /\/connect-rest-runtime\/|\.ts$/.test(location);

if (!isInPackage && !("require" in globalThis)) {
  Object.assign(globalThis, { require: createRequire(location ?? "/") });
}
