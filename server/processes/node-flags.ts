/**
 * Command-line flags for every long-lived Node.js process of the appliance.
 *
 * V8 sizes the young generation by the machine's memory, up to 3 × 64 MB a process, and fills it while modules load. A
 * smaller one is collected more often; `npm run bench:send` showed no difference with 16 MB.
 */
export const NODE_FLAGS = ["--disable-warning=ExperimentalWarning", "--max-semi-space-size=16"];
