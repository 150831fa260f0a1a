/** The gateway that the benchmark measures. */
import { serveParent } from "./child.ts";
import { startMeasuredGateway } from "./measured-gateway.ts";
import { startProfile, stopProfile } from "./profiler.ts";

const { port, metricsUrl } = await startMeasuredGateway();

serveParent({ http1: port, http2: port }, { metrics: metricsUrl, questions: { startProfile, stopProfile } });
