/**
 * Explains the warnings of npm for an old Node.js, after `npm ci`. npm runs this script with the Node.js that
 * `npm ci` has installed, and names its own Node.js in the environment.
 */
const [, outer] = /\bnode\/v(\S+)/.exec(process.env.npm_config_user_agent ?? "") ?? [];

if (outer !== undefined && Number.parseInt(outer, 10) < Number.parseInt(process.versions.node, 10)) {
  const path = "export PATH=$PWD/node_modules/.bin:$PATH";
  process.stderr.write(
    `npm runs on Node.js ${outer}. npm ci has installed Node.js ${process.versions.node} in node_modules, ` +
      `which all npm scripts of this repository use, so warnings of EBADENGINE need no action. ` +
      `To use it for other commands, too: ${path}\n`,
  );
}
