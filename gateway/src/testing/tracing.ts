// The setup in the README. Everything else is configured by environment variables.
import { NodeSDK } from "@opentelemetry/sdk-node";

new NodeSDK().start();
