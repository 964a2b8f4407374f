import { MODERATION, POSTING, REPLIES } from "#app/console/(pages)/groups/group-labels.ts";
import type { GroupDetail } from "#app/console/(pages)/groups/queries.ts";
import { Fact, Facts } from "#app/console/ui/facts.tsx";
import { Panel } from "#app/console/ui/panel.tsx";

/** Read-only settings for admins who can't manage groups. */
export function GroupAccessFacts({ group }: { group: GroupDetail }) {
  const { posting, posters, moderation, moderators } = group;
  return (
    <Panel title="Access">
      <Facts>
        <Fact name="Name">{group.name || "None"}</Fact>
        <Fact name="Who can post">
          {posting === "listed" ? posters.join(", ") : POSTING[posting].label}
        </Fact>
        <Fact name="Moderation">{MODERATION[moderation]}</Fact>
        {moderation !== "none" && (
          <Fact name="Moderators">{moderators.join(", ") || "Company owners"}</Fact>
        )}
        <Fact name="Replies go to">{REPLIES[group.replies]}</Fact>
        <Fact name="Who can send as the group">
          {group.members_send_as ? "Members with a mailbox" : "No one"}
        </Fact>
      </Facts>
    </Panel>
  );
}
