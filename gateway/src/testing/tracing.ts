// The setup in the README. Environment variables configure everything else.
import { NodeSDK } from "@opentelemetry/sdk-node";

new NodeSDK().start();
