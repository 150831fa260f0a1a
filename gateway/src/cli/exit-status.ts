/** The exit statuses of the process. */
export const EXIT_STATUS = {
  ok: 0,
  /** Something failed while running. */
  failure: 1,
  /** The command line or the configuration is wrong. */
  usage: 2,
} as const;
