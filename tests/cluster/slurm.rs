//! A real Slurm with two nodes on this machine, without systemd and without root: its daemons are children of
//! the test, in a folder and on ports of their own.

use std::fs::{self, File, Permissions};
use std::io::Read;
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use referee_table::clock::Clock;
use rustix::process::{Pid, Signal, getuid, kill_process};

use crate::support::{Place, REFEREE, Ran, comes_true};

/// The owner of the cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum User {
    /// The user who runs the tests.
    Myself,
    /// `nobody`, if root runs the tests; otherwise the user who does.
    Ordinary,
}

/// A cluster, up as long as this value lives.
#[derive(Debug)]
pub(crate) struct Cluster {
    pub(crate) place: Place,
    user: User,
    daemons: Vec<(&'static str, Child)>,
}

/// Slurm's report on a job, or on a task of an array.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Job {
    /// Its place in the array.
    pub(crate) task: Option<usize>,
    /// `RUNNING`, `COMPLETED`, `FAILED` ...
    pub(crate) state: String,
    pub(crate) status: i32,
    /// How often it was requeued.
    pub(crate) restarts: u32,
    /// The node on which it runs, or ran last.
    pub(crate) node: String,
}

pub(crate) const NODES: [&str; 2] = ["n1", "n2"];

/// Slurm needs some seconds to find a node dead, and some more before it starts a job again; tournaments are
/// played meanwhile.
const PATIENCE: Duration = Duration::from_secs(300);

/// Waits until a condition holds that takes many processes. It checks seldom, since they have work to do on
/// this machine.
pub(crate) fn in_time(mut holds: impl FnMut() -> bool) -> bool {
    let clock = Clock::start();
    while clock.now().0 < PATIENCE {
        if holds() {
            return true;
        }
        thread::sleep(Duration::from_millis(150));
    }
    false
}

/// A user without rights that every system has.
const NOBODY: (u32, u32) = (65534, 65534);

impl Cluster {
    pub(crate) fn start(user: User) -> Cluster {
        let mut cluster = Cluster { place: Place::new(), user, daemons: Vec::new() };
        cluster.make_folders();
        let folder = cluster.place.path("s");
        fs::write(folder.join("slurm.conf"), configuration(&folder, &cluster.user_name())).expect("a file");
        // Debian's Slurm 22.05 looks for cgroups even if it does not use them.
        fs::write(folder.join("cgroup.conf"), "CgroupPlugin=cgroup/v1\n").expect("a file");
        let files = ["key-file=key", "socket=sock", "log-file=log", "pid-file=pid", "seed-file=seed"];
        let files = files.map(|option| {
            let (option, file) = option.split_once('=').expect("an option");
            format!("--{option}={}", folder.join("m").join(file).display())
        });
        cluster.daemon(
            "munged",
            "munged",
            &[&["--foreground"], &files.each_ref().map(|word| &**word)[..]].concat(),
        );
        assert!(comes_true(|| folder.join("m/sock").exists()), "{}", cluster.logs());
        cluster.daemon("slurmctld", "slurmctld", &["-D", "-c"]);
        NODES.iter().for_each(|node| cluster.daemon(node, "slurmd", &["-D", "-N", node]));
        let idle = || cluster.run("sinfo", &["-h", "-N", "-o", "%T"]).out == "idle\nidle\n";
        assert!(comes_true(idle), "{}", cluster.logs());
        cluster
    }

    /// A folder for the user: all folders above it are open to the user, and its path is short enough for
    /// sockets.
    fn make_folders(&self) {
        let root = self.place.path("");
        assert!(root.as_os_str().len() < 80, "too long a path for sockets: {}", root.display());
        fs::set_permissions(&root, Permissions::from_mode(0o755)).expect("mine");
        let folders = ["s", "s/m", "s/st", "s/sp", "s/sp/n1", "s/sp/n2", "bin"];
        folders.iter().for_each(|folder| fs::create_dir(self.place.path(folder)).expect("a folder"));
        fs::set_permissions(self.place.path("s/m"), Permissions::from_mode(0o711)).expect("mine");
        let mut key = Vec::new();
        let random = File::open("/dev/urandom").expect("random numbers");
        random.take(128).read_to_end(&mut key).expect("random numbers");
        fs::write(self.place.path("s/m/key"), key).expect("a file");
        fs::set_permissions(self.place.path("s/m/key"), Permissions::from_mode(0o600)).expect("mine");
        // The built program may be in a folder that only its user may enter.
        fs::copy(&REFEREE, self.place.path("bin/referee")).expect("a copy");
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tournaments/slurm.sh");
        fs::copy(script, self.place.path("slurm.sh")).expect("a copy");
        if let Some((user, group)) = self.other_user() {
            let all = ["", "tmp", "s/m/key", "bin/referee", "slurm.sh"];
            let all = all.iter().chain(&folders).map(|path| self.place.path(path));
            all.for_each(|path| chown(path, Some(user), Some(group)).expect("root may"));
        }
    }

    /// The user, if it is not this program's.
    fn other_user(&self) -> Option<(u32, u32)> {
        (self.user == User::Ordinary && getuid().is_root()).then_some(NOBODY)
    }

    fn user_name(&self) -> String {
        let number = self.other_user().map_or(getuid().as_raw(), |(user, _)| user);
        let users = fs::read_to_string("/etc/passwd").expect("the users");
        let is_it = |line: &&str| line.split(':').nth(2) == Some(&number.to_string());
        users.lines().find(is_it).and_then(|line| line.split(':').next()).expect("the user").to_owned()
    }

    /// Returns a command that starts a program of the cluster or the referee, as the user, in the place.
    pub(crate) fn command(&self, program: &str, words: &[&str]) -> Command {
        let mut command = Command::new(program);
        let path = std::env::var("PATH").unwrap_or_default();
        let path = format!("{}:{path}:/usr/sbin:/sbin", self.place.path("bin").display());
        command.args(words).current_dir(self.place.path("")).env("PATH", path).stdin(Stdio::null());
        command.env("TMPDIR", self.place.path("tmp")).env("HOME", self.place.path(""));
        command.env("SLURM_CONF", self.place.path("s/slurm.conf"));
        if let Some((user, group)) = self.other_user() {
            command.uid(user).gid(group);
        }
        command
    }

    /// Runs a program to its end.
    pub(crate) fn run(&self, program: &str, words: &[&str]) -> Ran {
        let output = self.command(program, words).output();
        let output = output.unwrap_or_else(|error| panic!("{program}: {error} (scripts/test installs it)"));
        Ran::new(format!("({program}) {}", words.join(" ")), &output)
    }

    /// Runs the referee to its end.
    pub(crate) fn referee(&self, words: &[&str]) -> Ran {
        self.run("referee", words)
    }

    fn daemon(&mut self, name: &'static str, program: &str, words: &[&str]) {
        let log = File::create(self.place.path(&format!("s/{name}.out"))).expect("a file");
        let mut command = self.command(program, words);
        command.stdout(log.try_clone().expect("a file")).stderr(log);
        let started = command.spawn();
        let child = started.unwrap_or_else(|error| panic!("{program}: {error} (scripts/test installs it)"));
        self.daemons.push((name, child));
    }

    /// Submits a job with these words for sbatch, and returns its number.
    pub(crate) fn submit(&self, words: &[&str]) -> String {
        self.run("sbatch", &[&["--parsable"], words].concat()).with_status(0).out.trim().to_owned()
    }

    /// Submits shards of tournament `T` by the script for Slurm, with these options of sbatch, and the run of the whole
    /// after them, which lists all games. Returns the numbers of both jobs.
    pub(crate) fn submit_shards(&self, array: &str, shards: usize, options: &[&str]) -> [String; 2] {
        let (array, shards) = (format!("--array={array}"), shards.to_string());
        let job = self.submit(&[&[&*array], options, &["slurm.sh", "T", &shards]].concat());
        let after = format!("--dependency=afterok:{job}");
        let whole = "referee tournament run T";
        let whole = self.submit(&[&after, "--kill-on-invalid-dep=yes", "--wrap", whole]);
        [job, whole]
    }

    /// The output of a job, or of a task of an array.
    pub(crate) fn said(&self, id: &str) -> String {
        fs::read_to_string(self.place.path(&format!("slurm-{id}.out"))).unwrap_or_default()
    }

    /// Returns Slurm's report on a job: on each task, if it is an array.
    pub(crate) fn jobs(&self, id: &str) -> Vec<Job> {
        let shown = self.run("scontrol", &["-o", "show", "job", id]);
        let mut jobs: Vec<Job> = shown.out.lines().flat_map(parse).collect();
        jobs.sort_by_key(|job| job.task);
        jobs
    }

    /// Waits until a job, or each task of an array, has ended, and returns them.
    #[track_caller]
    pub(crate) fn ended(&self, id: &str) -> Vec<Job> {
        const UNDER_WAY: [&str; 5] = ["PENDING", "RUNNING", "COMPLETING", "CONFIGURING", "REQUEUED"];
        // A requeued job counts as ended for a moment, so it has to stay ended.
        const LOOKS: usize = 10;
        let mut seen: Vec<Vec<Job>> = Vec::new();
        let has_ended = || {
            let jobs = self.jobs(id);
            let is_over = |job: &Job| !UNDER_WAY.contains(&&*job.state);
            if jobs.is_empty() || !jobs.iter().all(is_over) || seen.last().is_some_and(|last| *last != jobs) {
                seen.clear();
                return false;
            }
            seen.push(jobs);
            seen.len() == LOOKS
        };
        assert!(in_time(has_ended), "{:#?}\n{}", self.jobs(id), self.logs());
        self.jobs(id)
    }

    /// Kills a node's daemon and all processes that it has started, and no others: the node is dead.
    pub(crate) fn kill_node(&mut self, node: &str) {
        let daemon = self.daemons.iter().position(|(name, _)| *name == node).expect("a node that is up");
        let (_, mut daemon) = self.daemons.remove(daemon);
        let mut known = self.processes_of(node, daemon.id());
        let _ = daemon.kill();
        let _ = daemon.wait();
        // Processes that were started during the search.
        while !known.is_empty() {
            // All are stopped first: otherwise a program that starts jobs would report the end of one before
            // it is killed itself.
            for signal in [Signal::STOP, Signal::KILL] {
                known.iter().for_each(|process| {
                    let _ = kill_process(*process, signal);
                });
            }
            thread::sleep(Duration::from_millis(5));
            known = self.processes_of(node, 0);
        }
    }

    /// The processes of a node: those of its jobs, the programs that started them, and all their children.
    fn processes_of(&self, node: &str, daemon: u32) -> Vec<Pid> {
        let conf = format!("SLURM_CONF={}\0", self.place.path("s/slurm.conf").display());
        let name = format!("SLURMD_NODENAME={node}\0");
        let processes: Vec<Process> = processes().collect();
        let has = |process: &Process, mark: &str| {
            process.environment.windows(mark.len()).any(|part| part == mark.as_bytes())
        };
        let jobs = processes.iter().filter(|process| has(process, &conf) && has(process, &name));
        let mut found: Vec<Pid> = jobs.clone().map(|process| process.number).collect();
        let steps = processes.iter().filter(|process| process.name == "slurmstepd" && has(process, &conf));
        let of_jobs = steps.filter(|step| jobs.clone().any(|job| job.parent == Some(step.number)));
        found.extend(of_jobs.map(|step| step.number));
        let daemon = Pid::from_raw(daemon as i32);
        loop {
            let is_theirs = |parent: Pid| found.contains(&parent) || Some(parent) == daemon;
            let children = processes.iter().filter(|process| process.parent.is_some_and(is_theirs));
            let children = children.map(|process| process.number).filter(|child| !found.contains(child));
            let children: Vec<Pid> = children.collect();
            if children.is_empty() {
                return found;
            }
            found.extend(children);
        }
    }

    /// The messages of the daemons, for finding out why a test failed.
    pub(crate) fn logs(&self) -> String {
        let last_lines = |file: &Path| {
            let text = String::from_utf8_lossy(&fs::read(file).unwrap_or_default()).into_owned();
            let lines: Vec<&str> = text.lines().collect();
            format!("{}:\n{}\n", file.display(), lines[lines.len().saturating_sub(20)..].join("\n"))
        };
        let files = ["s/m/log", "s/munged.out", "s/slurmctld.out", "s/n1.out", "s/n2.out"];
        files.map(|file| last_lines(&self.place.path(file))).concat()
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        for node in NODES {
            if self.daemons.iter().any(|(name, _)| *name == node) {
                self.kill_node(node);
            }
        }
        for (_, daemon) in self.daemons.iter_mut().rev() {
            let pid = Pid::from_child(daemon);
            let _ = kill_process(pid, Signal::TERM);
            // Its helper ends with it, if it may end by itself.
            if !comes_true(|| !matches!(daemon.try_wait(), Ok(None))) {
                let _ = daemon.kill();
                let _ = daemon.wait();
            }
        }
    }
}

/// Makes sure that no process remains except those of these programs.
pub(crate) fn assert_no_process_stays_but(place: &Place, programs: &[&str]) {
    let others = || {
        let is_other = |line: &String| !programs.iter().any(|program| line.contains(program));
        place.processes().into_iter().filter(is_other).collect::<Vec<String>>()
    };
    assert!(comes_true(|| others().is_empty()), "still there: {:#?}", others());
}

/// The cluster's configuration: like that of a site, but a dead node is found within seconds.
fn configuration(folder: &Path, user: &str) -> String {
    let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let host = host.split('.').next().unwrap_or_default();
    // All three at once, or one could be assigned twice.
    let listeners = [(); 3].map(|()| TcpListener::bind("127.0.0.1:0").expect("a port"));
    let [controller, first, second] =
        listeners.each_ref().map(|listener| listener.local_addr().expect("an address").port());
    let d = folder.display();
    format!(
        "ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmUser={user}
SlurmdUser={user}
AuthInfo=socket={d}/m/sock,cred_expire=5
StateSaveLocation={d}/st
SlurmctldPidFile={d}/slurmctld.pid
SlurmdSpoolDir={d}/sp/%n
SlurmdPidFile={d}/%n.pid
ProctrackType=proctrack/linuxproc
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
ReturnToService=2
SchedulerParameters=bf_interval=1,batch_sched_delay=0,sched_min_interval=100000
SlurmdTimeout=3
MinJobAge=3600
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port={first} CPUs=2
NodeName=n2 NodeHostname={host} NodeAddr=127.0.0.1 Port={second} CPUs=2
PartitionName=main Nodes=n[1-2] Default=YES
"
    )
}

/// Reads a line of `scontrol -o show job`; tasks that wait share one.
fn parse(line: &str) -> Vec<Job> {
    let value = |key: &str| {
        let mut words = line.split(' ').filter_map(|word| word.split_once('='));
        words.find(|(name, _)| *name == key).map(|(_, value)| value).unwrap_or_default()
    };
    let (state, node) = (value("JobState").to_owned(), value("NodeList").to_owned());
    if state.is_empty() {
        return Vec::new();
    }
    let status = value("ExitCode").split(':').next().and_then(|status| status.parse().ok()).unwrap_or(-1);
    let restarts = value("Restarts").parse().unwrap_or(0);
    vec![Job { task: value("ArrayTaskId").parse().ok(), state, status, restarts, node }]
}

/// A process of this machine.
struct Process {
    number: Pid,
    parent: Option<Pid>,
    name: String,
    environment: Vec<u8>,
}

fn processes() -> impl Iterator<Item = Process> {
    let entries = fs::read_dir("/proc").expect("/proc").flatten();
    entries.filter_map(|entry| {
        let number = Pid::from_raw(entry.file_name().to_str()?.parse().ok()?)?;
        let status = fs::read_to_string(entry.path().join("status")).ok()?;
        let value = |key: &str| status.lines().find_map(|line| line.strip_prefix(key)).map(str::trim);
        // An ended process that waits to be removed is not running.
        if value("State:")?.starts_with('Z') {
            return None;
        }
        let parent = Pid::from_raw(value("PPid:")?.parse().ok()?);
        let environment = fs::read(entry.path().join("environ")).unwrap_or_default();
        Some(Process { number, parent, name: value("Name:")?.to_owned(), environment })
    })
}
