"use client";

import { Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import type { ReactNode } from "react";

import { usePrivileges } from "#app/console/session.ts";
import { useAction } from "#app/console/ui/actions.tsx";
import { ListPage } from "#app/console/ui/list-page.tsx";
import { ListRowLink } from "#app/console/ui/list-table.tsx";
import { Menu } from "#app/console/ui/menu.tsx";
import { createdColumn, statusColumn } from "#app/console/ui/list-columns.tsx";
import { onDemand } from "#app/console/ui/on-demand.tsx";
import { EmptyState } from "#app/console/ui/panel.tsx";
import { CopyItem, LinkItem } from "#app/console/ui/row-menu.tsx";
import { READ_EMAILS } from "#server/universal/privileges.ts";

import { domainStatus, nextAction } from "./domain-labels.ts";
import classes from "./domains.module.css";
import { checkDomain, type DomainRow } from "./queries.ts";

const CreateDomainDialog = onDemand(() =>
  import("./domain-dialogs.tsx").then((module) => module.CreateDomainDialog),
);

export function Domains() {
  const mayChange = usePrivileges().has("domains");
  const [isOpen, dialog] = useDisclosure();
  const check = useAction({
    call: ({ id }: DomainRow) => checkDomain(id),
    invalidates: ["domains", "dns", "sessions.getMe"],
    success: (_, { name }) => `Records of ${name} checked`,
  });
  return (
    <ListPage
      list="domains.list"
      title="Domains"
      description="Domains that your company sends from and receives at."
      help="dns-records"
      noun="domains"
      standardSort="-created"
      className={classes.list}
      create={{ label: "Create domain", onClick: dialog.open, needs: "domains" }}
      empty={(_, create) => <NoDomains create={mayChange && create} />}
      columns={{
        name: {
          header: "Name",
          kind: "name",
          width: "minmax(0, 6fr)",
          sort: "name",
          cell: ({ id, name }) => <ListRowLink href={`/console/domains/${id}`}>{name}</ListRowLink>,
        },
        status: statusColumn("140px", domainStatus),
        mail: {
          header: "Mail",
          width: "180px",
          isMuted: true,
          isOptional: true,
          cell: mailUse,
        },
        todo: {
          header: "Next step",
          width: "minmax(0, 5fr)",
          cell: (domain) => nextAction(domain) ?? <span className={classes.nothing}>None</span>,
        },
        created: { ...createdColumn("Created"), isOptional: true },
      }}
      nameOf={({ name }) => name}
      menu={(domain) => (
        <>
          {mayChange && (
            <Menu.Item onClick={() => check.start(domain)}>Check records now</Menu.Item>
          )}
          <LinkItem href={`/console/emails?domain=${domain.id}`} needs={READ_EMAILS}>
            View emails
          </LinkItem>
          <CopyItem value={domain.name}>Copy name</CopyItem>
        </>
      )}
      phone={`"name menu" auto "status status" auto "todo todo" auto / minmax(0, 1fr) auto`}
    >
      {isOpen && <CreateDomainDialog onClose={dialog.close} />}
    </ListPage>
  );
}

const SETUP_STEPS = [
  ["Create the domain.", "All you need is its name."],
  ["Verify ownership.", "Add one TXT record to your DNS. Posthouse then checks it."],
  ["Publish the mail records.", "Copy them, download a zone file, or print the instructions."],
] as const;

function NoDomains({ create }: { create: ReactNode }) {
  return (
    <EmptyState title="Send from your own domain">
      <Text>
        Create a domain to send emails from addresses such as hello@northwind.com and to create
        mailboxes. DNS records verify that you own the domain and let other mail servers
        authenticate your emails.
      </Text>
      <ol className={classes.steps}>
        {SETUP_STEPS.map(([title, text]) => (
          <li key={title}>
            <strong>{title}</strong>
            <span>{text}</span>
          </li>
        ))}
      </ol>
      {create ? (
        <div>{create}</div>
      ) : (
        <Text>
          You need the Domains privilege to create a domain. Ask an owner of your company.
        </Text>
      )}
    </EmptyState>
  );
}

function mailUse({ status, receives }: DomainRow): string {
  const sends = status === "verified";
  if (sends && receives) return "Sending and receiving";
  if (sends) return "Sending";
  return receives ? "Receiving" : "Not ready";
}
