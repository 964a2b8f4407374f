<?php
// Roundcube's settings, over the defaults in /etc/roundcube/defaults.inc.php. start.sh sets the environment.
$data = getenv('WEBMAIL_DATA');
$run = getenv('WEBMAIL_RUN');
// Posthouse is on this machine or on a private network, and its certificate doesn't match these names.
$tls = ['ssl' => ['verify_peer' => false, 'verify_peer_name' => false]];

$config = [
    'db_dsnw' => "sqlite:///$data/roundcube.db?mode=0660",
    'des_key' => file_get_contents("$data/des_key"),
    'cipher_method' => 'AES-256-CBC',
    // In files in memory (WEBMAIL_RUN): a session contains the encrypted password, and the key is on the disk.
    'session_storage' => 'php',
    'temp_dir' => "$run/temp",
    'log_driver' => 'stdout',
    'plugins' => ['posthouse', 'archive', 'zipdownload', 'markasjunk', 'subscriptions_option'],

    'imap_host' => 'ssl://' . getenv('WEBMAIL_IMAP'),
    'imap_conn_options' => $tls,
    'imap_vendor' => 'dovecot',
    // Shared mailboxes aren't subscribed to.
    'use_subscriptions' => false,
    'smtp_host' => 'ssl://' . getenv('WEBMAIL_SMTP'),
    'smtp_conn_options' => $tls,
    'smtp_helo_host' => 'webmail',
    'max_message_size' => '35M',

    'use_https' => true,
    'session_name' => 'webmail_session',
    'session_path' => '/webmail/',
    'session_samesite' => 'Lax',
    // Minutes. Ends earlier with the session of /account.
    'session_lifetime' => 120,
    'display_product_info' => 0,

    // Users can't change these. The defaults: no images from other servers, and the skin.
    'dont_override' => ['language', 'show_images', 'skin', 'mdn_requests'],
    'mdn_requests' => 2,
    'htmleditor' => 4,
    'draft_autosave' => 60,
    'identities_level' => 1,
    'collected_senders' => '',
    'autocomplete_addressbooks' => ['posthouse', 'sql'],
    'lock_special_folders' => true,
    'archive_mbox' => 'Archive',
];
