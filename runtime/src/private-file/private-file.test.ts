import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { systemClock } from "connect-rest-codec/internal";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { reasonOf } from "../errors/rest-error.ts";
import { failureOf } from "../testing/failure.ts";
import { FakeClock } from "../testing/fake-clock.ts";
import { LEASE_MS, MAX_WAIT_MS, withFileLock } from "./file-lock.ts";
import { MAX_PRIVATE_BYTES, readPrivateFile, writePrivateFile } from "./private-file.ts";

const directory = mkdtempSync(path.join(tmpdir(), "connect-rest-private-"));
afterAll(() => rmSync(directory, { recursive: true }));
let count = 0;
const newPath = () => path.join(directory, `secret-${count++}`);

/** Creates a file that another program could have left. */
function existing(text: string, mode = 0o600): string {
  const file = newPath();
  writeFileSync(file, text);
  chmodSync(file, mode);
  return file;
}

test("a written file and its new folder can be read only by this user", async () => {
  const file = path.join(newPath(), "deep", "secret");
  await writePrivateFile(file, "hush", systemClock);
  expect(await readPrivateFile(file)).toBe("hush");
  expect([statSync(file).mode & 0o777, statSync(path.dirname(file)).mode & 0o777]).toEqual([0o600, 0o700]);
  await writePrivateFile(file, "hush again", systemClock);
  expect(await readPrivateFile(file)).toBe("hush again");
  expect(readdirSync(path.dirname(file))).toEqual(["secret"]);
  expect(await readPrivateFile(newPath())).toBeUndefined();
});

test("a file that another user may read or write is rejected, for any file mode", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 0o77 }), async (others) => {
      const file = existing("hush", 0o600 | others);
      const error = await failureOf(readPrivateFile(file));
      expect(reasonOf(error)).toBe("TOKEN_FILE_REFUSED");
      expect(error.rawMessage).toBe(
        `${file}: others may read or write it (mode 0${(0o600 | others).toString(8)}); expected 0600`,
      );
    }),
    { numRuns: 40 },
  );
});

test("a symbolic link is neither read nor replaced, and its target is not changed", async () => {
  const target = existing("of somebody else");
  const link = newPath();
  symlinkSync(target, link);
  expect((await failureOf(readPrivateFile(link))).rawMessage).toBe(`${link}: it is a symbolic link`);
  expect(reasonOf(await failureOf(writePrivateFile(link, "hush", systemClock)))).toBe("TOKEN_FILE_REFUSED");
  expect([lstatSync(link).isSymbolicLink(), readFileSync(target, "utf8")]).toEqual([
    true,
    "of somebody else",
  ]);
  const dangling = newPath();
  symlinkSync(newPath(), dangling);
  expect(reasonOf(await failureOf(readPrivateFile(dangling)))).toBe("TOKEN_FILE_REFUSED");
});

test("a file that is not a regular file, is too large, or is in a world-writable folder is rejected", async () => {
  const folder = newPath();
  mkdirSync(folder, { mode: 0o700 });
  expect((await failureOf(readPrivateFile(folder))).rawMessage).toMatch(/not a regular file/);
  expect((await failureOf(writePrivateFile(folder, "x", systemClock))).rawMessage).toMatch(
    /not a regular file/,
  );
  const large = existing("x".repeat(MAX_PRIVATE_BYTES + 1));
  expect((await failureOf(readPrivateFile(large))).rawMessage).toMatch(/larger than 1048576 bytes/);
  const file = path.join(folder, "secret");
  await writePrivateFile(file, "hush", systemClock);
  chmodSync(folder, 0o777);
  for (const act of [readPrivateFile(file), writePrivateFile(file, "x", systemClock)]) {
    expect((await failureOf(act)).rawMessage).toMatch(/everybody may replace it/);
  }
  chmodSync(folder, 0o1777);
  expect(await readPrivateFile(file)).toBe("hush");
});

test("only one function at a time works under a lock, and no change is lost", async () => {
  const file = newPath();
  writeFileSync(file, "0");
  let [running, most] = [0, 0];
  const work = () =>
    withFileLock(file, systemClock, async (isHeld) => {
      most = Math.max(most, ++running);
      const before = Number(readFileSync(file, "utf8"));
      await new Promise((resolve) => setImmediate(resolve));
      expect(await isHeld()).toBe(true);
      writeFileSync(file, String(before + 1));
      running--;
    });
  await Promise.all(Array.from({ length: 8 }, work));
  expect([most, readFileSync(file, "utf8")]).toEqual([1, "8"]);
  expect(readdirSync(directory).filter((name) => name.includes(".lock"))).toEqual([]);
});

test("a lock is released when the work fails", async () => {
  const file = newPath();
  const failing = withFileLock(file, systemClock, () => Promise.reject(new Error("no")));
  await expect(failing).rejects.toThrow("no");
  expect(await withFileLock(file, systemClock, async () => "done")).toBe("done");
});

const GONE = { id: "x", pid: 2 ** 22 + 12345, host: "elsewhere" };

test("the lock of a process that has ended is taken over immediately, and a lock from another machine after a minute", async () => {
  const { hostname } = await import("node:os");
  const file = newPath();
  writeFileSync(`${file}.lock`, JSON.stringify({ ...GONE, host: hostname() }));
  expect(await withFileLock(file, systemClock, async () => "done")).toBe("done");
  writeFileSync(`${file}.lock`, JSON.stringify(GONE));
  const old = (Date.now() - LEASE_MS - 1000) / 1000;
  utimesSync(`${file}.lock`, old, old);
  expect(await withFileLock(file, systemClock, async () => "done")).toBe("done");
});

test("waiting for a lock that is never released ends at the limit", async () => {
  const file = newPath();
  writeFileSync(`${file}.lock`, JSON.stringify(GONE));
  const clock = new FakeClock(Date.now() - 10 * LEASE_MS);
  const failure = failureOf(withFileLock(file, clock, async () => "done"));
  await clock.whenRunning(1);
  clock.advance(MAX_WAIT_MS);
  const error = await failure;
  expect([reasonOf(error), error.rawMessage]).toEqual([
    "TOKEN_FILE_LOCKED",
    `${file}: another process has locked the file for 90 s`,
  ]);
  expect(JSON.parse(readFileSync(`${file}.lock`, "utf8"))).toEqual(GONE);
});

test("a process that loses the lock while working notices the loss, and does not release the new lock", async () => {
  const file = newPath();
  await withFileLock(file, systemClock, async (isHeld) => {
    writeFileSync(`${file}.lock`, JSON.stringify(GONE));
    expect(await isHeld()).toBe(false);
  });
  expect(JSON.parse(readFileSync(`${file}.lock`, "utf8"))).toEqual(GONE);
});
