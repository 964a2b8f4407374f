"use client";

import { NativeSelect, Text } from "@mantine/core";
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
  choose: (name: string) => void;
};

/** The DNS provider that instructions are for: the recognised one until another is chosen. */
export function useProvider(domain: DomainDetail): Choice {
  const { data } = useQuery(doctorQuery(domain));
  const [picked, choose] = useState<string | null>(null);
  const { provider: recognised = null, providers = [] } = data ?? {};
  const name = picked ?? recognised;
  const chosen = providers.find((known) => known.name === name) ?? null;
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
  const names = providers.map(({ name }) => ({ value: name, label: name }));
  return (
    <div className={classes.help}>
      <NativeSelect
        label="DNS provider"
        size="sm"
        value={chosen?.name ?? ""}
        data={[OTHER, ...names]}
        onChange={(event) => choose(event.currentTarget.value)}
        {...(chosen && chosen.name === recognised && { description: RECOGNISED })}
      />
      {chosen ? <Known provider={chosen} zone={domain.zone} /> : <Unknown zone={domain.zone} />}
    </div>
  );
}

const RECOGNISED = "Recognised by its name servers.";

function Known({ provider, zone }: { provider: DnsProvider; zone: string }) {
  return (
    <div className={classes.words}>
      <Text>{provider.where}</Text>
      {provider.quirks.length > 0 && (
        <ul className={classes.quirks}>
          {provider.quirks.map((quirk) => (
            <li key={quirk}>{quirk}</li>
          ))}
        </ul>
      )}
      <Text size="sm" c="dimmed">
        {provider.takes_full_names
          ? "Hosts are written in full, as it takes them."
          : withoutZone(zone)}
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
