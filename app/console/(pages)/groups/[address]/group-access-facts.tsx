import { MODERATION, POSTING, REPLIES } from "#app/console/(pages)/groups/group-labels.ts";
import type { GroupDetail } from "#app/console/(pages)/groups/queries.ts";
import { DescriptionItem, DescriptionList } from "#app/console/ui/description-list.tsx";
import { Panel } from "#app/console/ui/panel.tsx";

/** Read-only settings for admins who can't manage groups. */
export function GroupAccessFacts({ group }: { group: GroupDetail }) {
  const { posting, posters, moderation, moderators } = group;
  return (
    <Panel title="Access">
      <DescriptionList>
        <DescriptionItem label="Name">{group.name || "None"}</DescriptionItem>
        <DescriptionItem label="Who can post">
          {posting === "listed" ? posters.join(", ") : POSTING[posting].label}
        </DescriptionItem>
        <DescriptionItem label="Moderation">{MODERATION[moderation]}</DescriptionItem>
        {moderation !== "none" && (
          <DescriptionItem label="Moderators">
            {moderators.join(", ") || "Company owners"}
          </DescriptionItem>
        )}
        <DescriptionItem label="Replies go to">{REPLIES[group.replies]}</DescriptionItem>
        <DescriptionItem label="Who can send as the group">
          {group.members_send_as ? "Members with a mailbox" : "No one"}
        </DescriptionItem>
      </DescriptionList>
    </Panel>
  );
}
