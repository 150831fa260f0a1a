import { spawn } from "node:child_process";

/**
 * Opens a URL in the user's browser, with the command in `BROWSER` or the system's command. Success cannot be
 * detected, so callers also print the URL.
 */
export function openBrowser(url: URL, env: NodeJS.ProcessEnv = process.env): void {
  const command = browserCommand(env);
  if (command === undefined) return;
  const [file, ...args] = command;
  const child = spawn(file, [...args, url.href], { detached: true, stdio: "ignore" });
  child.on("error", () => undefined);
  // the browser outlives this process
  child.unref();
}

/** Returns the command that opens a URL given as the last argument, or undefined without a display. */
export function browserCommand(
  { BROWSER: browser = "", DISPLAY: display = "", WAYLAND_DISPLAY: wayland = "" }: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
): readonly [string, ...string[]] | undefined {
  if (browser !== "") return [browser];
  if (platform === "darwin") return ["open"];
  // not `start`, whose shell would interpret an ampersand
  if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler"];
  return display === "" && wayland === "" ? undefined : ["xdg-open"];
}
