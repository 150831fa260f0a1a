/**
 * The size in bytes from which glibc allocates a buffer directly from the system, and returns the buffer when
 * it is freed. Smaller buffers stay in the heap. By default, glibc raises this threshold when a large buffer
 * is freed, so that later buffers of that size also stay in the heap: a burst of large responses would
 * permanently double the size of the process.
 */
const MMAP_THRESHOLD = String(1024 * 1024);

/** The environment variables with which `connect-rest serve` runs on Linux. */
export const MEMORY_ENVIRONMENT = { MALLOC_MMAP_THRESHOLD_: MMAP_THRESHOLD };

/**
 * Environment variables that configure the allocator. If a user has set one of them, the allocator is not
 * configured here.
 */
const OWN_SETTINGS = ["MALLOC_MMAP_THRESHOLD_", "GLIBC_TUNABLES"] as const;

/** The properties of the process that decide whether it restarts. */
type Starting = Pick<NodeJS.Process, "platform" | "env" | "argv" | "execArgv" | "execPath" | "channel"> & {
  readonly execve?: typeof process.execve;
};

/**
 * Restarts a serving process in place, with the same process ID, so that its allocator returns the memory of
 * large buffers: glibc reads the threshold from the environment, and only at startup. Does nothing if a user
 * has set an allocator variable, on systems other than Linux, before Node.js 22.15, or if the process has a
 * debugger or an IPC channel to its parent, which the restart would close.
 */
export function giveMemoryBack(starting: Starting = process): void {
  const { execve, env, execPath, execArgv, argv } = starting;
  if (execve === undefined || !isWorthwhile(starting)) return;
  try {
    const args = [execPath, ...execArgv, ...argv.slice(1)];
    execve.call(process, execPath, args, { ...env, ...MEMORY_ENVIRONMENT });
  } catch {
    // the restart is not permitted; the process also works without it
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
