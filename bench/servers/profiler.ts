import { type Profiler, Session } from "node:inspector";

/** The sampling interval of stacks, in microseconds. */
const INTERVAL_US = 200;

const session = new Session();

/** The profile of a process. */
export interface Profiled {
  readonly profile: Profiler.Profile;
  /** The processor time of the main thread and of all threads, in microseconds. */
  readonly main: number;
  readonly all: number;
}

let before = processorTime();

/** Starts sampling the stacks of the main thread. */
export async function startProfile(): Promise<boolean> {
  session.connect();
  await post("Profiler.enable");
  await post("Profiler.setSamplingInterval", { interval: INTERVAL_US });
  await post("Profiler.start");
  before = processorTime();
  return true;
}

export async function stopProfile(): Promise<Profiled> {
  const after = processorTime();
  const { profile } = (await post("Profiler.stop")) as Profiler.StopReturnType;
  session.disconnect();
  return { profile, main: after.main - before.main, all: after.all - before.all };
}

function processorTime(): { main: number; all: number } {
  const [main, all] = [process.threadCpuUsage(), process.cpuUsage()];
  return { main: main.user + main.system, all: all.user + all.system };
}

function post(method: string, parameters: object = {}): Promise<unknown> {
  return new Promise((resolve, reject) => {
    session.post(method, parameters, (error, result) => {
      if (error === null) {
        resolve(result);
      } else {
        reject(error);
      }
    });
  });
}
