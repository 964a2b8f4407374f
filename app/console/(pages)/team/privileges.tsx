import { Anchor, Button, Checkbox, Group, Stack, Text, TextInput } from "@mantine/core";
import Link from "next/link";
import { type SubmitEvent, useState } from "react";

import { privilegeLabel, privilegeText } from "#server/universal/privileges.ts";
import { ConsoleError } from "#app/console/console-client.ts";
import { useRead } from "#app/console/endpoint-queries.ts";
import { usePrivileges } from "#app/console/session.ts";
import { toast, useAction, useChange } from "#app/console/ui/actions.tsx";
import { FormError } from "#app/console/ui/errors.tsx";
import { formText } from "#app/console/ui/form/form-text.ts";
import { pluralize } from "#app/console/ui/format.ts";
import { Panel } from "#app/console/ui/panel.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";

import { displayName, formatSource } from "./labels.ts";
import {
  CHANGES_TEAM,
  type AdminDetail,
  type MailboxPrivilegesAnswer,
  type PrivilegeSource,
} from "./queries.ts";
import { RoleChoice } from "./role-choice.tsx";
import roleClasses from "./team.module.css";

export const AdminRoles = ({ admin }: { admin: AdminDetail }) => (
  <Panel title="Roles">
    <Stack gap="lg">
      <OwnerAndRoles admin={admin} />
      {admin.directPrivileges.length > 0 && <DirectPrivileges admin={admin} />}
    </Stack>
  </Panel>
);

const UNCHANGED = { added: new Set<string>(), removed: new Set<string>(), owner: undefined };

type Changes = Omit<typeof UNCHANGED, "owner"> & { owner: boolean | undefined };

/** Keeps only what the user changed, so that concurrent changes by others show up and aren't undone. */
function OwnerAndRoles({ admin }: { admin: AdminDetail }) {
  const { isOwner: mayMakeOwners } = usePrivileges();
  const [changes, setChanges] = useState<Changes>(UNCHANGED);
  const update = useChange("team.update", CHANGES_TEAM);
  const before = new Set(admin.roles.map(({ id }) => id));
  const after = before.union(changes.added).difference(changes.removed);
  const isOwner = changes.owner ?? admin.isOwner;
  const areRolesChanged = before.symmetricDifference(after).size > 0;
  const isChanged = areRolesChanged || isOwner !== admin.isOwner;

  async function save() {
    try {
      await update.run({
        params: { id: admin.id },
        body: {
          ...(areRolesChanged && { roleIds: [...after], expectedRoleIds: [...before] }),
          ...(isOwner !== admin.isOwner && { isOwner, expectedIsOwner: admin.isOwner }),
        },
      });
      setChanges((now) => (now === changes ? UNCHANGED : now));
      toast(`Roles of ${displayName(admin)} saved`);
    } catch {
      // The page shows the error.
    }
  }

  return (
    <Stack gap="md">
      {mayMakeOwners && (
        <Checkbox
          label="Owner"
          classNames={{ description: roleClasses.description }}
          description="Can do everything, including deleting domains and mailboxes and managing owners. Roles don’t add anything."
          checked={isOwner}
          onChange={(event) => setChanges({ ...changes, owner: event.currentTarget.checked })}
        />
      )}
      <RoleChoice
        value={[...after]}
        onChange={(ids) => {
          const chosen = new Set(ids);
          const [added, removed] = [chosen.difference(before), before.difference(chosen)];
          setChanges({ ...changes, added, removed });
        }}
        assigned={[...before]}
        isSelf={admin.isSelf}
      />
      <FormError error={update.error} />
      {isChanged && (
        <Group gap="xs">
          <Button aria-busy={update.isPending} onClick={() => void save()}>
            Save roles
          </Button>
          <Button
            variant="default"
            onClick={() => {
              setChanges(UNCHANGED);
              update.reset();
            }}
          >
            Discard changes
          </Button>
        </Group>
      )}
    </Stack>
  );
}

/** Privileges from before roles existed. They can only be removed. */
function DirectPrivileges({ admin }: { admin: AdminDetail }) {
  const update = useChange("team.update", CHANGES_TEAM);
  const granted = admin.directPrivileges;
  const remove = useAction({
    call: (privilege: string) =>
      update.run({
        params: { id: admin.id },
        body: { directPrivileges: granted.filter((other) => other !== privilege) },
      }),
    success: (_, privilege) => `${privilegeLabel(privilege)} removed`,
  });
  return (
    <div>
      <Text fw={600} mb={4}>
        Assigned without a role
      </Text>
      <Text size="sm" c="dimmed" mb="xs">
        If you remove one, you can only assign it again through a role.
      </Text>
      <ul className={roleClasses.grants}>
        {granted.map((privilege) => (
          <li key={privilege} className={roleClasses.grant}>
            <span>{privilegeLabel(privilege)}</span>
            <Button
              size="compact-sm"
              variant="default"
              aria-label={`Remove ${privilegeLabel(privilege)}`}
              aria-busy={remove.isPending && remove.variables === privilege}
              // One at a time: each starts from what the one before left.
              onClick={() => !remove.isPending && remove.start(privilege)}
            >
              Remove
            </Button>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** All privileges: whether the admin has each one, and where it comes from. */
export const AdminPrivileges = ({ admin }: { admin: AdminDetail }) => (
  <Panel title="Privileges">
    <PrivilegeTable
      label="All privileges and their sources"
      privileges={admin.effectivePrivileges}
    />
  </Panel>
);

type HeldPrivilege = { privilege: string; through: PrivilegeSource[] };

const PrivilegeTable = ({ label, privileges }: { label: string; privileges: HeldPrivilege[] }) => (
  <table className={roleClasses.table} aria-label={label}>
    <tbody>
      {privileges.map(({ privilege, through }) => {
        const { name, description } = privilegeText(privilege);
        return (
          <tr key={privilege} className={roleClasses.row} data-held={through.length > 0}>
            <th scope="row" className={roleClasses.name}>
              {name}
              <span className={roleClasses.adminPrivilegesDescription}>{description}</span>
            </th>
            <td className={roleClasses.held}>
              <PrivilegeStatus through={through} />
            </td>
            <td className={roleClasses.through}>
              {through.map((source) => (
                <div key={formatSource(source)}>{formatSource(source)}</div>
              ))}
            </td>
          </tr>
        );
      })}
    </tbody>
  </table>
);

function PrivilegeStatus({ through }: { through: PrivilegeSource[] }) {
  if (through.length === 0) return <Status tone="none" label="No" />;
  const isPartial = through.every((source) => source.kind === "role" && source.role.unit !== null);
  return isPartial ? (
    <Status tone="info" label="In some units" />
  ) : (
    <Status tone="done" label="Yes" />
  );
}

/** Looks up privileges for one mailbox, which depend on its unit. */
export function MailboxPrivileges({ admin }: { admin: AdminDetail }) {
  const [mailbox, setMailbox] = useState("");
  const lookup = useRead(
    "team.getMailboxPrivileges",
    { params: { id: admin.id }, query: { mailbox } },
    { enabled: mailbox !== "" },
  );
  const isUnknown = lookup.error instanceof ConsoleError && lookup.error.status === 404;

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const typed = formText(new FormData(event.currentTarget), "mailbox").trim();
    if (typed === mailbox && typed !== "") void lookup.refetch();
    setMailbox(typed);
  }

  return (
    <Panel title="Privileges for a mailbox">
      <Stack gap="md">
        <form onSubmit={handleSubmit} method="post" noValidate>
          <Group align="flex-start" gap="xs">
            <TextInput
              name="mailbox"
              size="sm"
              flex="1 1 220px"
              aria-label="Mailbox"
              placeholder="Mailbox address"
              type="email"
              autoComplete="off"
              error={isUnknown && "This mailbox doesn’t exist, or you don’t have access to it"}
            />
            <Button type="submit" variant="default" aria-busy={lookup.isFetching}>
              Check privileges
            </Button>
          </Group>
        </form>
        {!isUnknown && <FormError error={lookup.error} />}
        {lookup.data && (
          <div role="status">
            <Text mb="xs">
              Privileges of {displayName(admin)} for {lookup.data.mailbox}, in the unit{" "}
              {lookup.data.units.toReversed().join(" › ")}:
            </Text>
            <PrivilegeTable
              label={`Privileges for ${lookup.data.mailbox}`}
              privileges={flattenUnits(lookup.data)}
            />
          </div>
        )}
      </Stack>
    </Panel>
  );
}

/** Shows a unit's role as a full grant: the mailbox is in that unit, so there is no "partly". */
const flattenUnits = ({
  privileges,
}: MailboxPrivilegesAnswer): MailboxPrivilegesAnswer["privileges"] =>
  privileges.map(({ privilege, through }) => ({
    privilege,
    through: through.map((source) =>
      source.kind === "role" && source.role.unit
        ? {
            kind: "role",
            role: {
              ...source.role,
              name: `${source.role.name} (${source.role.unit.name})`,
              unit: null,
            },
          }
        : source,
    ),
  }));

type Key = AdminDetail["keys"][number];

export function AdminKeys({ admin }: { admin: AdminDetail }) {
  const { has } = usePrivileges();
  return (
    <Panel title="API keys">
      {admin.keys.length === 0 ? (
        <Text c="dimmed">No active API keys.</Text>
      ) : (
        <>
          <AdminKeyList keys={admin.keys} />
          <Text size="sm" c="dimmed" mt="md">
            A key has the privileges of the admin who created it.{" "}
            {has("api_controls") && (
              <Anchor component={Link} underline="always" href="/console/api-keys">
                View all API keys
              </Anchor>
            )}
          </Text>
        </>
      )}
    </Panel>
  );
}

export const AdminKeyList = ({ keys }: { keys: Key[] }) => (
  <ul className={roleClasses.keys}>
    {keys.map((key) => (
      <li key={key.id} className={roleClasses.key}>
        <span>
          {key.name} <code className={roleClasses.prefix}>{key.prefix}</code>
        </span>
        <span className={roleClasses.use}>
          {key.lastUsedAt ? (
            <>
              Last used <RelativeTime at={key.lastUsedAt} />
            </>
          ) : (
            "Never used"
          )}
          {key.scheduledEmails > 0 && `, ${pluralize(key.scheduledEmails, "scheduled email")}`}
        </span>
      </li>
    ))}
  </ul>
);
