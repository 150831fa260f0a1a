#!/usr/bin/env node
"use strict";

// The executable of the package, in the JavaScript of Node.js 12. An older Node.js thus prints the required
// version before it reads newer syntax.
const manifest = require("../package.json");

const [required] = /\d+(?:\.\d+)*/.exec(manifest.engines.node);

function isOlder(version, other) {
  const parts = version.split(".").map((part) => Number.parseInt(part, 10));
  const others = other.split(".").map(Number);
  const index = others.findIndex((part, at) => part !== (parts[at] || 0));
  return index >= 0 && (parts[index] || 0) < others[index];
}

if (isOlder(process.versions.node, required)) {
  const found = `${process.execPath} is ${process.versions.node}`;
  process.stderr.write(`${manifest.name} needs Node.js ${required} or newer; ${found}\n`);
  process.exitCode = 1;
} else {
  // reuses the code that the last start compiled and stripped of types
  // biome-ignore lint/style/useNodejsImportProtocol: Node.js 12 does not know it
  const { enableCompileCache } = require("module");
  if (enableCompileCache !== undefined) enableCompileCache();
  import("../src/bin.ts").catch((error) => {
    // fails like an uncaught error of the program
    setImmediate(() => {
      throw error;
    });
  });
}
