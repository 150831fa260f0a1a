import { spawn } from "node:child_process";

/**
 * Opens an address in this user's browser, where there is one: the command in `BROWSER`, or that of the
 * system. Whether it worked nobody can tell, so that the address is to be printed as well.
 */
export function openBrowser(url: URL, env: NodeJS.ProcessEnv = process.env): void {
  const command = browserCommand(env);
  if (command === undefined) return;
  const [file, ...args] = command;
  const child = spawn(file, [...args, url.href], { detached: true, stdio: "ignore" });
  child.on("error", () => undefined);
  // it lives longer than we do
  child.unref();
}

/** The command to open an address with, which is its last argument; undefined where there is no screen. */
export function browserCommand(
  { BROWSER: browser = "", DISPLAY: display = "", WAYLAND_DISPLAY: wayland = "" }: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
): readonly [string, ...string[]] | undefined {
  if (browser !== "") return [browser];
  if (platform === "darwin") return ["open"];
  // not `start`, whose shell would take an ampersand for its own
  if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler"];
  return display === "" && wayland === "" ? undefined : ["xdg-open"];
}
