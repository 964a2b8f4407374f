import { Anchor, Button, NativeSelect, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconWand } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import {
  type DnsProvider,
  type DomainDetail,
  doctorQuery,
} from "#app/console/(pages)/domains/queries.ts";
import { findDnsHost } from "#app/console/(pages)/domains/provider-fields.ts";
import { onDemand } from "#app/console/ui/on-demand.tsx";

import classes from "./domain.module.css";
import type { RecordChecks } from "./domain-set-up.tsx";

type ProviderChoice = {
  chosen: DnsProvider | null;
  detected: string | null;
  providers: DnsProvider[];
  choose: (id: string) => void;
};

/** The DNS provider to show instructions for: the detected one unless the admin picks another. */
export function useProvider(domain: DomainDetail): ProviderChoice {
  const { data } = useQuery(doctorQuery(domain));
  const [picked, choose] = useState<string | null>(null);
  const { provider: detected = null, providers = [] } = data ?? {};
  const id = picked ?? detected;
  const chosen = providers.find((known) => known.id === id) ?? null;
  return { chosen, detected, providers, choose };
}

const OTHER = { value: "", label: "Other provider" };

export function ProviderHelp({
  domain,
  chosen,
  detected,
  providers,
  choose,
  checks,
}: { domain: DomainDetail; checks: RecordChecks } & ProviderChoice) {
  const names = providers.map(({ id, name }) => ({ value: id, label: name }));
  return (
    <div className={classes.help}>
      <NativeSelect
        label="DNS provider"
        size="sm"
        value={chosen?.id ?? ""}
        data={[OTHER, ...names]}
        onChange={(event) => choose(event.currentTarget.value)}
        {...(chosen && chosen.id === detected && { description: DETECTED })}
      />
      <Stack gap="xs" miw={0}>
        <AutomaticOption domain={domain} chosen={chosen} checks={checks} />
        {chosen ? <ProviderSteps provider={chosen} /> : <GenericSteps zone={domain.zone} />}
      </Stack>
    </div>
  );
}

const AutomaticSetupDialog = onDemand(() =>
  import("./automatic-setup.tsx").then((module) => module.AutomaticSetupDialog),
);

type AutomaticOptionProps = {
  domain: DomainDetail;
  chosen: DnsProvider | null;
  checks: RecordChecks;
};

/** Offers to publish the records through the DNS provider's API. */
function AutomaticOption({ domain, chosen, checks: { mayCheck, check } }: AutomaticOptionProps) {
  const [isOpen, dialog] = useDisclosure();
  const host = mayCheck ? findDnsHost(chosen?.id) : null;
  if (!host) return null;
  return (
    <Stack gap="sm" align="flex-start">
      <Button
        leftSection={<IconWand size={14} />}
        onPointerEnter={AutomaticSetupDialog.preload}
        onFocus={AutomaticSetupDialog.preload}
        onClick={dialog.open}
      >
        Set up automatically
      </Button>
      {isOpen && (
        <AutomaticSetupDialog
          domain={domain}
          host={host}
          onPublished={check}
          onClose={dialog.close}
        />
      )}
      <Text size="sm" c="dimmed">
        Or publish the records yourself:
      </Text>
    </Stack>
  );
}

const DETECTED = "Detected from your name servers.";

const ProviderSteps = ({ provider }: { provider: DnsProvider }) => (
  <Stack gap="xs" miw={0}>
    <ol className={classes.helpSteps}>
      <li>
        Open{" "}
        <Anchor href={provider.url} underline="always" target="_blank" rel="noreferrer">
          {provider.name}
        </Anchor>{" "}
        and sign in.
      </li>
      {provider.steps.map((step) => (
        <li key={step}>{step}</li>
      ))}
    </ol>
    <Text size="sm" c="dimmed">
      The hosts and values below are formatted for {provider.name}.
    </Text>
  </Stack>
);

const GenericSteps = ({ zone }: { zone: string }) => (
  <Stack gap="xs" miw={0}>
    <Text>Add the records at the DNS provider of {zone}, usually the registrar of the domain.</Text>
    <Text size="sm" c="dimmed">
      {hostHint(zone)}
    </Text>
  </Stack>
);

const hostHint = (zone: string) =>
  `Hosts omit .${zone} because most providers append it. @ stands for the domain itself.`;
