"use strict";

// Runs before the repository's scripts, in the JavaScript of Node.js 12:
// `node -r ./scripts/require-node.cjs …`. Otherwise an older Node.js would fail with an error about a file
// extension.
const { engines } = require("../package.json");

const [required] = /\d+(?:\.\d+)*/.exec(engines.node);
const others = required.split(".").map(Number);
const parts = process.versions.node.split(".").map((part) => Number.parseInt(part, 10));
const index = others.findIndex((part, at) => part !== (parts[at] || 0));

if (index >= 0 && (parts[index] || 0) < others[index]) {
  const found = `${process.execPath} is ${process.versions.node}`;
  process.stderr.write(
    `the repository needs Node.js ${required} or newer, which npm ci installs; ${found}\n`,
  );
  process.exit(1);
}

if (!require("node:fs").existsSync(require("node:path").join(__dirname, "../node_modules"))) {
  process.stderr.write("the dependencies are not installed; run npm ci\n");
  process.exit(1);
}
