/**
 * Provides `require` in a bundle. undici is CommonJS: a bundler that writes ES modules, such as esbuild,
 * makes undici's `require` calls for Node's modules use a global `require`. Without a bundler, nothing
 * changes.
 */
import { createRequire } from "node:module";

/** The location of this module, or of the bundle; undefined in CommonJS bundles and in workerd. */
const location: string | undefined = import.meta.url;
const isInPackage = location !== undefined && /\/connect-rest-runtime\/|\.ts$/.test(location);

if (!isInPackage && !("require" in globalThis)) {
  Object.assign(globalThis, { require: createRequire(location ?? "/") });
}
