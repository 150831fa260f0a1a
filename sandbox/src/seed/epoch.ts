/** The moment the seeded state is of: 2025-11-01T12:00:00Z. Nothing seeded depends on the machine's time. */
export const EPOCH = 1_761_998_400;
