/** The exit statuses of the process. */
export const EXIT_STATUS = {
  ok: 0,
  /** The command failed while running. */
  failure: 1,
  /** The command line or the configuration is invalid. */
  usage: 2,
} as const;
