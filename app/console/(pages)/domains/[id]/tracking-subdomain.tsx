"use client";

import { Button, Stack, Text, TextInput } from "@mantine/core";
import type { SubmitEvent } from "react";

import {
  type DomainDetail,
  useSetTrackingSubdomain,
} from "#app/console/(pages)/domains/queries.ts";
import { usePrivileges } from "#app/console/privileges.ts";
import { FormError, fieldError } from "#app/console/ui/form-error.tsx";
import { formText } from "#app/console/ui/form-text.ts";
import { Panel } from "#app/console/ui/panel.tsx";
import { toast } from "#app/console/ui/toast.tsx";

/** Sets the host below the domain that tracking and unsubscribe links use. */
export function TrackingSubdomain({ domain }: { domain: DomainDetail }) {
  const change = useSetTrackingSubdomain(domain.id);
  const mayUpdate = usePrivileges().has("domains");
  const problem = fieldError(change.error, "tracking_subdomain", "The subdomain");

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (change.isPending) return;
    const label = formText(new FormData(event.currentTarget), "subdomain").trim();
    change.mutate(label || null, { onSuccess: () => toast("Tracking subdomain saved") });
  }

  return (
    <Panel title="Tracking subdomain">
      <Stack gap="md" maw={480}>
        <Text c="dimmed">{describeUse(domain)}</Text>
        {mayUpdate && (
          <form onSubmit={handleSubmit} method="post">
            <Stack gap="md">
              <TextInput
                key={domain.tracking_subdomain}
                name="subdomain"
                label="Subdomain"
                description={`Such as links, for links.${domain.name}. Leave empty to use this server’s host.`}
                defaultValue={domain.tracking_subdomain ?? ""}
                error={problem}
                autoCapitalize="off"
                spellCheck={false}
              />
              {problem === null && <FormError error={change.error} />}
              <div>
                <Button type="submit" aria-busy={change.isPending}>
                  Save subdomain
                </Button>
              </div>
            </Stack>
          </form>
        )}
      </Stack>
    </Panel>
  );
}

function describeUse({ name, tracking_subdomain: label, ...domain }: DomainDetail): string {
  if (label === null)
    return "Tracking and unsubscribe links use this server’s host. A subdomain of your own keeps recipients on your domain.";
  const host = `${label}.${name}`;
  if (domain.is_tracking_host_in_use)
    return `Tracking and unsubscribe links of new emails use ${host}. Links in sent emails stop working if you remove its record.`;
  const isFound = domain.records.some(
    ({ kind, is_verified }) => kind === "tracking" && is_verified,
  );
  return isFound
    ? `${host} leads here. Links use it once its certificate is issued, usually within minutes.`
    : `Publish the Tracking record on the DNS tab. Until it is verified, links use this server’s host.`;
}
