#!/usr/bin/env node
"use strict";

// The executable of the package, in the JavaScript of Node.js 12: one that is too old for the rest says what
// it takes, before anything newer is read.
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
  // what was compiled, and stripped of its types, at the last start
  // biome-ignore lint/style/useNodejsImportProtocol: Node.js 12 does not know it
  const { enableCompileCache } = require("module");
  if (enableCompileCache !== undefined) enableCompileCache();
  import("../src/bin.ts").catch((error) => {
    // as if it were the program itself that failed
    setImmediate(() => {
      throw error;
    });
  });
}
