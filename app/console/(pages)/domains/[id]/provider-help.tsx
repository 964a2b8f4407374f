"use client";

import { Anchor, NativeSelect, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import {
  type DnsProvider,
  type DomainDetail,
  doctorQuery,
} from "#app/console/(pages)/domains/queries.ts";

import classes from "./provider-help.module.css";

type Choice = {
  chosen: DnsProvider | null;
  recognised: string | null;
  providers: DnsProvider[];
  choose: (id: string) => void;
};

/** The DNS provider that instructions are for: the recognised one until another is chosen. */
export function useProvider(domain: DomainDetail): Choice {
  const { data } = useQuery(doctorQuery(domain));
  const [picked, choose] = useState<string | null>(null);
  const { provider: recognised = null, providers = [] } = data ?? {};
  const id = picked ?? recognised;
  const chosen = providers.find((known) => known.id === id) ?? null;
  return { chosen, recognised, providers, choose };
}

const OTHER = { value: "", label: "Another provider" };

/** Where records are entered at the provider, and how it wants the host written. */
export function ProviderHelp({
  domain,
  chosen,
  recognised,
  providers,
  choose,
}: { domain: DomainDetail } & Choice) {
  const names = providers.map(({ id, name }) => ({ value: id, label: name }));
  return (
    <div className={classes.help}>
      <NativeSelect
        label="DNS provider"
        size="sm"
        value={chosen?.id ?? ""}
        data={[OTHER, ...names]}
        onChange={(event) => choose(event.currentTarget.value)}
        {...(chosen && chosen.id === recognised && { description: RECOGNISED })}
      />
      {chosen ? <Known provider={chosen} /> : <Unknown zone={domain.zone} />}
    </div>
  );
}

const RECOGNISED = "Recognised by its name servers.";

function Known({ provider }: { provider: DnsProvider }) {
  return (
    <div className={classes.words}>
      <ol className={classes.steps}>
        <li>
          Sign in at{" "}
          <Anchor href={provider.url} underline="always" target="_blank" rel="noreferrer">
            {provider.name}
          </Anchor>
          .
        </li>
        {provider.steps.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      <Text size="sm" c="dimmed">
        Hosts and values below are written as it takes them.
      </Text>
    </div>
  );
}

function Unknown({ zone }: { zone: string }) {
  return (
    <div className={classes.words}>
      <Text>
        Add the records where the DNS of {zone} is run: most often where it was registered.
      </Text>
      <Text size="sm" c="dimmed">
        {withoutZone(zone)}
      </Text>
    </div>
  );
}

const withoutZone = (zone: string) =>
  `Hosts are written without .${zone}, which most providers add by themselves; @ is the domain alone.`;
