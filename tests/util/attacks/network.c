/* Messages to the outside. The driver listens on the loopback interface and on sockets of the host. */
#include "attack.h"

#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <linux/netlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>

static struct sockaddr_in loopback(int port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

static enum result connect_tcp_by(int protocol)
{
    struct sockaddr_in address = loopback(tcp_port);
    int file = socket(AF_INET, SOCK_STREAM, protocol);
    return by(file < 0 ? file : connect(file, (struct sockaddr *) &address, sizeof address));
}

static enum result tcp(void) { return connect_tcp_by(0); }
static enum result mptcp(void) { return connect_tcp_by(262); }

static enum result fast_open(void)
{
    struct sockaddr_in address = loopback(tcp_port);
    int file = socket(AF_INET, SOCK_STREAM, 0);
    return by(file < 0 ? file
                       : sendto(file, "!", 1, MSG_FASTOPEN | MSG_NOSIGNAL, (struct sockaddr *) &address, sizeof address));
}

static enum result tcp6(void)
{
    struct sockaddr_in6 address = {.sin6_family = AF_INET6, .sin6_port = htons(tcp_port)};
    inet_pton(AF_INET6, "::ffff:127.0.0.1", &address.sin6_addr);
    int file = socket(AF_INET6, SOCK_STREAM, 0);
    return by(file < 0 ? file : connect(file, (struct sockaddr *) &address, sizeof address));
}

static enum result udp(void)
{
    struct sockaddr_in address = loopback(udp_port);
    int file = socket(AF_INET, SOCK_DGRAM, 0);
    return by(file < 0 ? file : sendto(file, token, strlen(token), 0, (struct sockaddr *) &address, sizeof address));
}

static enum result listen_tcp(void)
{
    int file = socket(AF_INET, SOCK_STREAM, 0);
    return by(file < 0 ? file : listen(file, 1)); /* on a port of the system's choice */
}

static enum result bind_udp(void)
{
    struct sockaddr_in address = loopback(0);
    int file = socket(AF_INET, SOCK_DGRAM, 0);
    return by(file < 0 ? file : bind(file, (struct sockaddr *) &address, sizeof address));
}

static enum result connect_unix(struct sockaddr_un *address, size_t length, int type)
{
    int file = socket(AF_UNIX, type, 0);
    return by(file < 0 ? file : connect(file, (struct sockaddr *) address, length));
}

static enum result unix_path(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", below_place("socket"));
    return connect_unix(&address, sizeof address, SOCK_STREAM);
}

static enum result unix_abstract(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int length = snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "referee-%s", token);
    return connect_unix(&address, offsetof(struct sockaddr_un, sun_path) + 1 + length, SOCK_STREAM);
}

/* A pair is connected, but may name another address. */
static enum result unix_pair(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int length = snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "referee-%s-datagrams", token), ends[2];
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) < 0)
        return by(-1);
    length += offsetof(struct sockaddr_un, sun_path) + 1;
    return by(sendto(ends[0], "!", 1, 0, (struct sockaddr *) &address, length));
}

static enum result system_bus(void)
{
    static const char *const SOCKETS[] = {"/run/dbus/system_bus_socket", "/run/systemd/journal/dev-log", "/dev/log",
                                          "/var/run/docker.sock", "/run/systemd/notify"};
    for (size_t i = 0; i < sizeof SOCKETS / sizeof *SOCKETS; i++) {
        struct sockaddr_un address = {.sun_family = AF_UNIX};
        strcpy(address.sun_path, SOCKETS[i]);
        if (connect_unix(&address, sizeof address, SOCK_STREAM) == WORKED
            || connect_unix(&address, sizeof address, SOCK_DGRAM) == WORKED)
            return WORKED;
    }
    return REFUSED;
}

static enum result make_socket(int family, int type, int protocol) { return by(socket(family, type, protocol)); }
static enum result raw(void) { return make_socket(AF_INET, SOCK_RAW, IPPROTO_ICMP); }
static enum result packet(void) { return make_socket(AF_PACKET, SOCK_RAW, 0); }
static enum result crypto(void) { return make_socket(AF_ALG, SOCK_SEQPACKET, 0); }
static enum result vsock(void) { return make_socket(AF_VSOCK, SOCK_STREAM, 0); }

static enum result device_events(void)
{
    struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = 1};
    int file = socket(AF_NETLINK, SOCK_RAW, NETLINK_KOBJECT_UEVENT);
    return by(file < 0 ? file : bind(file, (struct sockaddr *) &address, sizeof address));
}

static enum result routes(void)
{
    struct { struct nlmsghdr header; char family[16]; } ask = {
        {sizeof ask, 18 /* RTM_GETLINK */, NLM_F_REQUEST | NLM_F_DUMP, 0, 0}, {0}};
    int file = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
    return by(file < 0 ? file : send(file, &ask, sizeof ask, 0));
}

static enum result interfaces(void)
{
    struct ifreq request = {.ifr_name = "lo"};
    int file = socket(AF_INET, SOCK_DGRAM, 0);
    return by(file < 0 ? file : ioctl(file, SIOCGIFADDR, &request));
}

static enum result connections_of_host(void)
{
    char line[256];
    int lines = 0;
    FILE *table = fopen("/proc/net/tcp", "r");
    while (table && fgets(line, sizeof line, table))
        lines++;
    return table && lines > 1 ? WORKED : by(-1);
}

const struct attack NETWORK[] = {
    {"tcp", "connects to the loopback interface", tcp, ALONE},
    {"tcp-ipv6", "connects by IPv6", tcp6, ALONE},
    {"mptcp", "connects by MPTCP", mptcp, ALONE},
    {"tcp-fast-open", "connects without connect", fast_open, ALONE},
    {"tcp-listen", "listens on a port", listen_tcp, ALONE},
    {"udp", "sends a datagram", udp, ALONE},
    {"udp-bind", "receives datagrams", bind_udp, ALONE},
    {"unix-path", "connects to a socket in the file system", unix_path, ALONE},
    {"unix-abstract", "connects to an abstract socket", unix_abstract, ALONE},
    {"unix-pair", "sends to an abstract socket from one of a pair", unix_pair, ALONE},
    {"system-bus", "connects to a service of the host", system_bus, ALONE},
    {"raw-socket", "opens a raw socket", raw, ALONE},
    {"packet-socket", "opens a packet socket", packet, ALONE},
    {"kernel-crypto", "opens a socket to the kernel's cryptography", crypto, ALONE},
    {"vsock", "opens a socket to the host of this machine", vsock, ALONE},
    {"netlink-events", "listens to the kernel's device events", device_events, ALONE},
    {"netlink-routes", "asks for the interfaces by netlink", routes, ALONE},
    {"interface-address", "asks for an interface's address", interfaces, ALONE},
    {"connections", "reads which connections the host has", connections_of_host, ALONE},
    {0},
};
