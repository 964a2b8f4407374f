import { MODERATION, POSTING, REPLIES } from "#app/console/(pages)/groups/group-words.ts";
import type { GroupDetail } from "#app/console/(pages)/groups/queries.ts";
import { Fact, Facts } from "#app/console/ui/facts.tsx";
import { Panel } from "#app/console/ui/panel.tsx";

/** The settings of a group for those who may not change them. */
export function AccessFacts({ group }: { group: GroupDetail }) {
  const { posting, posters, moderation, moderators } = group;
  return (
    <Panel title="Access">
      <Facts>
        <Fact name="Name">{group.name || "None"}</Fact>
        <Fact name="May write">
          {posting === "listed" ? posters.join(", ") : POSTING[posting].label}
        </Fact>
        <Fact name="Moderated">{MODERATION[moderation]}</Fact>
        {moderation !== "none" && (
          <Fact name="Moderators">{moderators.join(", ") || "The owners of your company"}</Fact>
        )}
        <Fact name="Answers go">{REPLIES[group.replies]}</Fact>
        <Fact name="May send as it">
          {group.members_send_as ? "Members with a mailbox here" : "Nobody"}
        </Fact>
      </Facts>
    </Panel>
  );
}
