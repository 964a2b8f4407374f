"use client";

import { Anchor, Button, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQueryClient } from "@tanstack/react-query";
import Link from "next/link";
import type { ReactNode } from "react";

import { requestSamples } from "#app/console/(pages)/api-keys/send-email-samples.tsx";
import { change } from "#app/console/console-client.ts";
import { useMe, usePrivileges } from "#app/console/session.ts";
import { toast, useAction } from "#app/console/ui/actions.tsx";
import { ChoiceChips } from "#app/console/ui/filter-chips.tsx";
import { ListPage } from "#app/console/ui/list-page.tsx";
import { createdColumn, statusColumn } from "#app/console/ui/list-columns.tsx";
import { EmptyState } from "#app/console/ui/panel.tsx";
import { useSelection } from "#app/console/ui/selection.tsx";
import { CodeSamples } from "#app/console/ui/tabs.tsx";
import { oneOf } from "#app/console/ui/url-filters.ts";
import type { DataColumn } from "#app/console/ui/data-table.tsx";
import { onDemand } from "#app/console/ui/on-demand.tsx";

import { addressCount, originLabels, type SuppressionRow } from "./labels.ts";
import classes from "./suppressions.module.css";

const AddSuppressionsDialog = onDemand(() =>
  import("./add-suppressions-dialog.tsx").then((module) => module.AddSuppressionsDialog),
);

const FILTERS = { origin: oneOf(originLabels) };

export function Suppressions() {
  const mayChange = usePrivileges().has("api_controls");
  const [isAdding, adding] = useDisclosure();
  const selection = useSelection<SuppressionRow>();
  const removal = useRemoveSuppressions();

  function remove(ids: string[], name: string) {
    selection.setChosen(new Map());
    removal.start({ ids, name });
  }

  return (
    <ListPage
      list="suppressions.list"
      title="Suppressions"
      description="Addresses that no longer get your emails, to protect your domains’ reputation."
      help="bounces"
      label="Suppressed addresses"
      noun="suppressions"
      className={classes.list}
      skeletonRows={20}
      actions={
        mayChange && (
          <Button component={Link} href="/console/suppressions/import" variant="default">
            Import suppressions
          </Button>
        )
      }
      create={{ label: "Add suppressions", onClick: adding.open, needs: "api_controls" }}
      empty={(_, create) => <NoSuppressions create={create} />}
      search="Part of an address"
      filters={FILTERS}
      controls={({ origin }) => (
        <ChoiceChips name="origin" label="Reason" value={origin} options={originLabels} />
      )}
      exports="suppressions.export"
      leaving={new Set(removal.isPending ? removal.variables?.ids : [])}
      columns={{
        email: {
          header: "Address",
          kind: "name",
          width: "minmax(0, 5fr)",
          cell: ({ email }) => (
            <Text span fw={500}>
              {email}
            </Text>
          ),
        },
        why: statusColumn("132px", ({ origin }: SuppressionRow) => originLabels[origin], "Reason"),
        source: {
          header: "Source email",
          width: "minmax(0, 5fr)",
          canHide: true,
          cell: ({ source }) => <SourceEmail source={source} />,
        },
        created: createdColumn("Added"),
        ...(mayChange && { remove: removeColumn(remove) }),
      }}
      nameOf={({ email }) => email}
      bulk={
        mayChange && {
          selection,
          label: "Selected addresses",
          nameCount: addressCount,
          actions: (chosen) => (
            <Button
              variant="default"
              size="xs"
              onClick={() => remove([...chosen.keys()], addressCount(chosen.size))}
            >
              Remove from list
            </Button>
          ),
        }
      }
      phone={
        mayChange
          ? `"choose email email" auto ". why created" auto ". source source" auto ". remove ." auto
    / 20px minmax(0, 1fr) auto`
          : `"email email" auto "why created" auto "source source" auto / minmax(0, 1fr) auto`
      }
    >
      {isAdding && <AddSuppressionsDialog onClose={adding.close} />}
    </ListPage>
  );
}

const removeColumn = (
  remove: (ids: string[], name: string) => void,
): DataColumn<SuppressionRow, never> => ({
  header: "Remove",
  kind: "actions",
  width: "80px",
  cell: ({ id, email }) => (
    <Button
      variant="default"
      size="compact-sm"
      aria-label={`Remove ${email}`}
      onClick={() => remove([id], email)}
    >
      Remove
    </Button>
  ),
});

/** The email that bounced, was marked as spam or was unsubscribed from. */
function SourceEmail({ source }: { source: SuppressionRow["source"] }) {
  if (source === null) return null;
  if (source.subject === null) return "Deleted email";
  return (
    <Anchor component={Link} href={`/console/emails/${source.id}`} inherit>
      {source.subject || "(no subject)"}
    </Anchor>
  );
}

function NoSuppressions({ create }: { create: ReactNode }) {
  const me = useMe();
  const { has } = usePrivileges();
  if (!me) return null;
  const domain = me.company.sendingDomain ?? "your-domain.example";
  const body = { email: `left-the-newsletter@${domain}` };
  return (
    <EmptyState title="No suppressions yet">
      <Text>
        Posthouse suppresses an address automatically when an email to it bounces permanently, or
        its owner marks one as spam or unsubscribes. Not sending to these addresses protects your
        reputation with mailbox providers.
      </Text>
      {has("api_controls") && (
        <>
          <div>{create}</div>
          <Text>You can also add addresses here, import them from a file, or use the API:</Text>
          <CodeSamples samples={requestSamples(window.location.origin, "/suppressions", body)} />
        </>
      )}
    </EmptyState>
  );
}

/** Offers Undo. Is pending until the list is without what was removed. `name` is for the toast. */
function useRemoveSuppressions() {
  const queryClient = useQueryClient();
  return useAction({
    async call({ ids }: { ids: string[]; name: string }) {
      const answer = await change("suppressions.remove", { body: { ids } });
      await queryClient.invalidateQueries({ queryKey: ["suppressions"] });
      return answer;
    },
    invalidates: ["suppressions"],
    success: (_, { name }) => `${name} removed from the suppression list`,
    async undo({ name }, { undo }) {
      await change("suppressions.restore", { body: { undo } });
      toast(`${name} suppressed again`);
    },
  });
}
