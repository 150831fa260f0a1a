"use strict";

// The `prepack` script of each package. A folder of this repository contains TypeScript, which Node.js does
// not run below node_modules.
process.stderr.write(
  `${process.cwd()} contains only TypeScript sources; run npm run build in the repository, which writes the packages to dist/\n`,
);
process.exit(1);
