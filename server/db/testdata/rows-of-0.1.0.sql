-- Rows in the tables that 0.1.0 added. Loaded with session_replication_role = replica.
insert into "delivery_blocks" ("destination", "host", "reply") values ('gmail.com', 'gmail-smtp-in.l.google.com', '550 5.7.1 blocked');
insert into "destination_limits" ("key", "throttle", "reply", "dsn", "host", "changed_at", "suspended_until", "level", "connections", "per_minute")
  values ('google', 'rate', '421 4.7.28 Slow down', '4.7.28', null, '2026-11-20T10:00:00Z', '2026-11-20T10:01:00Z', 1, 8, 420.5);
insert into "warm_ups" ("subject", "provider", "started_on", "day", "used", "granted")
  values ('server', 'google', '2026-11-18', '2026-11-20', 120, 20);
insert into "instance" ("key_fingerprint") values ('5f1c2b');
insert into "failing_members" ("group_address", "member", "company_id", "dsn", "reply", "failing_since")
  values ('cb967c34dca4@467b935f1e35.example', 'ann@example.com', '01a2060b-0333-7587-b830-01ebda5cc514', '5.1.1', '550 unknown', '2026-11-20T10:00:00Z');
insert into "forward_suspensions" ("mailbox", "target", "dsn", "reply", "suspended_at")
  values ('you@posthouse.localhost', 'ann@example.com', '5.1.1', '550 unknown', '2026-11-20T10:00:00Z');
insert into "alarms" ("id", "name", "severity", "found", "advice")
  values ('01a30000-0000-7000-8000-000000000001', 'disk', 'warning', '9 % free', 'Free up disk space');
insert into "alarm_messages" ("id", "channel", "message") values ('01a30000-0000-7000-8000-000000000002', 'ntfy', '{"title": "disk"}');
insert into "metric_totals" ("name", "labels", "value") values ('posthouse_deliveries_total', '{}', 7);
insert into "watch_rounds" ("name", "started_at", "result") values ('ledger', '2026-11-20T03:00:00Z', '{"unaccounted": 0}');
insert into "acme_accounts" ("directory_url", "sealed_private_key") values ('https://acme.example/directory', 'sealed');
insert into "acme_challenges" ("token", "name", "type", "answer") values ('token', 'mail.example.com', 'http-01', 'answer');
insert into "certificates" ("name", "chain", "sealed_private_key") values ('mail.example.com', 'chain', 'sealed');
insert into "backups" ("id", "repository", "proof") values ('01a30000-0000-7000-8000-000000000003', '/mnt/backup', 'restored and started');
insert into "mail_hosts" ("name", "address", "certificate") values ('one', '192.0.2.1', 'certificate'), ('two', '192.0.2.2', 'certificate');
insert into "mailbox_moves" ("mailbox", "from_host", "to_host") values ('you@posthouse.localhost', 'one', 'two');
insert into "tls_session_counts" ("day", "domain", "policy", "host", "failure", "sending_ip", "sessions")
  values ('2026-11-20', 'example.com', 'opportunistic', '', '', '', 3),
    ('2026-11-20', 'example.com', 'mta-sts', 'mx.example.com', 'certificate-expired', '192.0.2.1', 1);
insert into "dmarc_counts" ("day", "domain", "source_ip", "result", "messages") values ('2026-11-20', 'example.com', '192.0.2.1', '{}', 2);
insert into "templates" ("id", "company_id", "name", "alias", "current_version_id", "published_version_id")
  values ('01a30000-0000-7000-8000-000000000004', '01a2060b-0333-7587-b830-01ebda5cc514', 'Order shipped', 'order-shipped', '01a30000-0000-7000-8000-000000000005', '01a30000-0000-7000-8000-000000000005');
insert into "template_versions" ("id", "company_id", "template_id", "number", "subject", "html", "variables", "published_at")
  values ('01a30000-0000-7000-8000-000000000005', '01a2060b-0333-7587-b830-01ebda5cc514', '01a30000-0000-7000-8000-000000000004', 1, 'Order {{{ORDER}}}', '<p>Order {{{ORDER}}}</p>', '[{"key": "ORDER", "type": "string", "fallbackValue": null, "createdAt": "2026-11-20 10:00:00+00", "updatedAt": "2026-11-20 10:00:00+00"}]', '2026-11-20T10:00:00Z');
insert into "deleted_items" ("id", "company_id", "kind", "name", "domain_id", "addresses", "is_reserved", "store", "store_host", "contents", "deleted_by")
  values ('01a30000-0000-7000-8000-000000000004', '01a2060b-0333-7587-b830-01ebda5cc514', 'mailbox', 'old@467b935f1e35.example',
    '01a30000-0000-7000-8000-000000000005', '{old@467b935f1e35.example}', true, '467b935f1e35.example/old-1', 'one', '{"mailboxes": []}', 'ann@example.com');
