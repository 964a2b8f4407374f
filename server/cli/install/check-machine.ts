import { CommandError } from "#server/cli/command-error.ts";
import type { Display } from "#server/cli/display.mjs";
import { showFinding } from "#server/cli/show-finding.ts";
import { findSupervisor } from "#server/cli/start/claim-data-folder.ts";
import { requireFreePorts } from "#server/cli/start/require-free-ports.ts";
import type { Config } from "#server/config.ts";
import { checkBlocklists } from "#server/core/operations/system-checks/check-blocklists.ts";
import { checkMachineClock } from "#server/core/operations/system-checks/check-clock.ts";
import { checkDns } from "#server/core/operations/system-checks/check-dns.ts";
import { checkDisk, checkMemory } from "#server/core/operations/system-checks/check-machine.ts";
import { checkOutboundPort } from "#server/core/operations/system-checks/check-outbound-port.ts";
import { checkReverseDns } from "#server/core/operations/system-checks/check-reverse-dns.ts";
import type { Finding } from "#server/core/operations/system-checks/finding.ts";
import { createResolver } from "#server/gateways/dns.ts";

/**
 * Checks what the service needs from this machine and its network, and shows each finding. Problems outside the machine,
 * such as DNS, don't stop the installation, since they can be solved while it runs.
 *
 * @throws CommandError if a port is in use or the disk is full
 */
export async function checkMachine(config: Config, display: Display): Promise<Finding[]> {
  await display.step("Ports", async () => {
    const running = await findSupervisor(config.dataFolder);
    return running
      ? `in use by Posthouse itself (${running})`
      : (await requireFreePorts(config)).join(", ");
  });
  const resolver = createResolver(config);
  const disk = await checkDisk(config);
  const findings = [
    checkMemory(),
    ...(await Promise.all([
      checkDns(config, resolver, []),
      checkMachineClock(resolver),
      checkOutboundPort(config, resolver),
      checkReverseDns(config, resolver),
      checkBlocklists(config, resolver),
    ])),
    disk,
  ];
  for (const finding of findings) showFinding(display, finding);
  if (disk.state === "failed") throw new CommandError(`disk: ${disk.found}. ${disk.advice ?? ""}`);
  return findings;
}
