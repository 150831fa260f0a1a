/**
 * From this size on, glibc takes memory from the system for a buffer alone, and gives it back with that.
 * Below, and once it has freed a larger buffer than its own threshold, it keeps what lies between buffers
 * that are still in use: a burst of large responses would leave the process twice as large for good.
 */
const MMAP_THRESHOLD = String(1024 * 1024);

/** Who sets either has a reason. */
const OWN_SETTINGS = ["MALLOC_MMAP_THRESHOLD_", "GLIBC_TUNABLES"] as const;

/** What is known of the process. */
type Starting = Pick<NodeJS.Process, "platform" | "env" | "argv" | "execArgv" | "execPath" | "channel"> & {
  readonly execve?: typeof process.execve;
};

/**
 * Starts a process that serves once more, in place of itself and with the same id, so that its allocator
 * returns what large buffers took: glibc reads that from its environment, and only at the start. Does nothing
 * where it is set already, on other systems than Linux, before Node.js 22.15, and for a process with a
 * debugger or a channel to the one that started it, which would be lost.
 */
export function giveMemoryBack(starting: Starting = process): void {
  const { execve, env, execPath, execArgv, argv } = starting;
  if (execve === undefined || !isWorthwhile(starting)) return;
  try {
    const args = [execPath, ...execArgv, ...argv.slice(1)];
    execve.call(process, execPath, args, { ...env, MALLOC_MMAP_THRESHOLD_: MMAP_THRESHOLD });
  } catch {
    // not allowed: it serves as well without
  }
}

function isWorthwhile({ platform, env, argv, execArgv, channel }: Starting): boolean {
  return (
    platform === "linux" &&
    argv[2] === "serve" &&
    (channel === undefined || channel === null) &&
    OWN_SETTINGS.every((name) => env[name] === undefined) &&
    !execArgv.some((flag) => flag.startsWith("--inspect"))
  );
}
