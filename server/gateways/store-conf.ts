/**
 * The configuration with which doveadm opens a mail store without a server, and without looking up its user: the
 * store's folder is HOME.
 *
 * @param folder for sockets and state, quoted if it has special characters
 * @param user the service user
 */
export const storeConf = (folder: string, user: string): string => `base_dir = ${folder}
state_dir = ${folder}
log_path = /dev/stderr
ssl = no
mail_location = sdbox:~/sdbox
default_internal_user = ${user}
default_internal_group = ${user}
default_login_user = ${user}
first_valid_uid = 1
first_valid_gid = 1
stats_writer_socket_path =
namespace inbox {
  inbox = yes
  separator = /
}
`;
