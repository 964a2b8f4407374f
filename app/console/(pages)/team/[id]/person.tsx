"use client";

import { Skeleton, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import { nameOf, stateOf } from "#app/console/(pages)/team/person-words.ts";
import { type PersonDetail, personQuery } from "#app/console/(pages)/team/queries.ts";
import { useRights } from "#app/console/rights.ts";
import { Breadcrumbs } from "#app/console/ui/breadcrumbs.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { SideBySide } from "#app/console/ui/side-by-side.tsx";
import { Status } from "#app/console/ui/status.tsx";

import { Access } from "./access.tsx";
import { AskForMailbox } from "./ask-for-mailbox.tsx";
import { Keys } from "./keys.tsx";
import { PersonFacts } from "./person-facts.tsx";
import { PersonRights } from "./person-rights.tsx";
import { PersonRoles } from "./person-roles.tsx";

/** One person of the team: what they may do, and through what. */
export function Person({ id }: { id: string }) {
  const person = useQuery(personQuery(id));
  return (
    <>
      <Breadcrumbs trail={[{ label: "Team", href: "/console/team" }]} />
      <QueryView query={person} what="this person" skeleton={<PersonSkeleton />} titleOrder={1}>
        {(person) => (
          <>
            <PageHeader
              title={nameOf(person)}
              help="roles"
              sentence={<Status {...stateOf(person)} />}
            />
            <SideBySide side={<Facts person={person} />}>
              <Parts person={person} />
            </SideBySide>
          </>
        )}
      </QueryView>
    </>
  );
}

/** Owners are changed by owners only. */
function useMayChange(person: PersonDetail): boolean {
  const { isOwner } = useRights();
  return !person.is_owner || isOwner;
}

function Facts({ person }: { person: PersonDetail }) {
  const mayChange = useMayChange(person);
  return (
    <>
      <PersonFacts person={person} />
      {mayChange && <PersonRoles key={person.roles.map(({ id }) => id).join()} person={person} />}
      <Keys person={person} />
    </>
  );
}

function Parts({ person }: { person: PersonDetail }) {
  const { has } = useRights();
  const mayChange = useMayChange(person);
  return (
    <Stack gap="md">
      <PersonRights person={person} />
      {has("view_users") && <AskForMailbox person={person} />}
      {mayChange && !person.is_self && <Access person={person} />}
    </Stack>
  );
}

function PersonSkeleton() {
  return (
    <Stack gap="md">
      <Skeleton height={34} width={240} />
      <Skeleton height={220} />
      <Skeleton height={420} />
    </Stack>
  );
}
