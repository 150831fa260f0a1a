/** The time of the seeded state: 2025-11-01T12:00:00Z. Seeding never reads the system time. */
export const EPOCH = 1_761_998_400;
