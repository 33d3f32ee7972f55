// A bot whose threads wait for each other in all the ways of the standard library that are no private futex, and in a few of the
// system's own. It answers 1 if all came in time and none too soon, else 0, and then says what did not.
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <iostream>
#include <mutex>
#include <queue>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace std::chrono_literals;
using Steady = std::chrono::steady_clock;
using System = std::chrono::system_clock;

static bool fine;

static void expect(bool holds, const char *what)
{
    if (holds)
        return;
    fine = false;
    std::cerr << what << std::endl;
}

struct Slow {
    int value;
    explicit Slow(int value) : value(value) { std::this_thread::sleep_for(50us); }
};

// The second thread waits until the first has made it.
template <int number> int made_once()
{
    static Slow slow(number);
    return slow.value;
}

static std::atomic<int> arrived;

template <int... numbers> static void race(std::integer_sequence<int, numbers...>)
{
    int (*const makers[])() = {made_once<numbers>...};
    arrived = 0;
    auto make_all = [&] {
        int count = 0, sum = 0;
        for (auto make : makers) {
            arrived++;
            while (arrived < 2 * (count + 1))
                std::this_thread::yield();
            sum += make();
            count++;
        }
        return sum;
    };
    int sums[2];
    std::thread other([&] { sums[1] = make_all(); });
    sums[0] = make_all();
    other.join();
    expect(sums[0] == sums[1], "function-local statics");
}

// What a thread gives after a while, seen by one that waits without a limit, and with one.
static void futures()
{
    for (auto pause : {0us, 100us, 5000us}) {
        std::promise<int> promise;
        auto future = promise.get_future();
        std::thread giver([&] {
            std::this_thread::sleep_for(pause);
            promise.set_value(7);
        });
        expect(future.get() == 7, "future");
        giver.join();
    }
    auto given = [](auto wait) {
        std::promise<int> promise;
        auto future = promise.get_future();
        std::thread giver([&] {
            std::this_thread::sleep_for(3ms);
            promise.set_value(7);
        });
        bool ready = wait(future) == std::future_status::ready;
        giver.join();
        return ready;
    };
    expect(given([](auto &future) { return future.wait_for(30s); }), "wait_for, given");
    expect(given([](auto &future) { return future.wait_until(Steady::now() + 30s); }), "steady, given");
    expect(given([](auto &future) { return future.wait_until(System::now() + 30s); }), "system, given");
    auto late = [](auto wait) {
        std::promise<int> promise;
        auto future = promise.get_future();
        auto start = Steady::now();
        bool late = wait(future) == std::future_status::timeout;
        return late && Steady::now() - start >= 20ms;
    };
    expect(late([](auto &future) { return future.wait_for(20ms); }), "wait_for, not given");
    expect(late([](auto &future) { return future.wait_until(Steady::now() + 20ms); }), "steady, not given");
    expect(late([](auto &future) { return future.wait_until(System::now() + 20ms); }), "system, not given");
}

static void tasks()
{
    std::vector<std::future<int>> all;
    for (int number = 0; number < 8; number++)
        all.push_back(std::async(std::launch::async, [=] {
            std::this_thread::sleep_for(1ms * number);
            return number;
        }));
    int sum = 0;
    for (auto &one : all)
        sum += one.get();
    expect(sum == 28, "async");

    std::queue<std::packaged_task<int()>> queue;
    std::mutex mutex;
    std::condition_variable some;
    bool over = false;
    auto work = [&] {
        for (;;) {
            std::unique_lock<std::mutex> lock(mutex);
            some.wait(lock, [&] { return over || !queue.empty(); });
            if (queue.empty())
                return;
            auto task = std::move(queue.front());
            queue.pop();
            lock.unlock();
            task();
        }
    };
    std::vector<std::thread> pool;
    for (int number = 0; number < 3; number++)
        pool.emplace_back(work);
    for (int number = 0; number < 50; number++) {
        std::packaged_task<int()> task([=] { return number; });
        auto result = task.get_future();
        {
            std::lock_guard<std::mutex> lock(mutex);
            queue.push(std::move(task));
        }
        some.notify_one();
        expect(result.get() == number, "packaged task");
    }
    {
        std::lock_guard<std::mutex> lock(mutex);
        over = true;
    }
    some.notify_all();
    for (auto &thread : pool)
        thread.join();
}

static void once()
{
    for (int time = 0; time < 20; time++) {
        std::once_flag flag;
        int count = 0;
        auto call = [&] {
            std::call_once(flag, [&] {
                std::this_thread::sleep_for(100us);
                count++;
            });
            return count;
        };
        std::thread other(call);
        expect(call() == 1, "call_once");
        other.join();
    }
}

static timespec in(long milliseconds, clockid_t clock = CLOCK_REALTIME)
{
    timespec time;
    clock_gettime(clock, &time);
    time.tv_nsec += milliseconds * 1000000;
    time.tv_sec += time.tv_nsec / 1000000000;
    time.tv_nsec %= 1000000000;
    return time;
}

static void *sleep_long(void *)
{
    std::this_thread::sleep_for(60ms);
    return nullptr;
}

// What the system's library shares between processes, and how it waits for a thread for a while.
static void shared()
{
    pthread_t thread;
    pthread_create(&thread, nullptr, sleep_long, nullptr);
    timespec soon = in(20), later = in(30000), steady = in(10, CLOCK_MONOTONIC);
    auto start = Steady::now();
    expect(pthread_clockjoin_np(thread, nullptr, CLOCK_MONOTONIC, &steady) == ETIMEDOUT, "clockjoin, too long");
    expect(pthread_timedjoin_np(thread, nullptr, &soon) == ETIMEDOUT, "timedjoin, too long");
    expect(Steady::now() - start >= 19ms, "timedjoin, too soon");
    expect(pthread_timedjoin_np(thread, nullptr, &later) == 0, "timedjoin");

    sem_t semaphore;
    sem_init(&semaphore, 1, 0);
    soon = in(20);
    expect(sem_timedwait(&semaphore, &soon) == -1 && errno == ETIMEDOUT, "semaphore, too long");
    std::thread poster([&] {
        std::this_thread::sleep_for(2ms);
        sem_post(&semaphore);
    });
    expect(sem_wait(&semaphore) == 0, "semaphore");
    poster.join();

    pthread_mutexattr_t robust;
    pthread_mutexattr_init(&robust);
    pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_t mutex;
    pthread_mutex_init(&mutex, &robust);
    pthread_mutex_lock(&mutex);
    int locked = 0;
    std::atomic<bool> has_tried{false};
    std::thread other([&] {
        timespec soon = in(20);
        locked = pthread_mutex_timedlock(&mutex, &soon);
        has_tried = true;
        pthread_mutex_lock(&mutex); // and ends with it
    });
    // A thread that starts late would get the mutex at once, and then wait for itself.
    while (!has_tried)
        std::this_thread::sleep_for(1ms);
    pthread_mutex_unlock(&mutex);
    other.join();
    expect(locked == ETIMEDOUT, "robust mutex, too long");
    expect(pthread_mutex_lock(&mutex) == EOWNERDEAD, "robust mutex of a thread that has ended");
}

static long wait_shared(std::atomic<int> *word, long milliseconds)
{
    timespec length = {0, milliseconds * 1000000};
    return syscall(SYS_futex, word, FUTEX_WAIT, 0, &length, nullptr, 0);
}

// As a program waits that forgot the flag, and goes by what the system says alone.
static void by_itself()
{
    std::atomic<int> word{0};
    auto start = Steady::now();
    while (wait_shared(&word, 20) == 0 || errno != ETIMEDOUT) {
    }
    expect(Steady::now() - start >= 20ms, "futex, too soon");
    std::thread waker([&] {
        std::this_thread::sleep_for(2ms);
        word = 1;
        long woken = syscall(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0);
        expect(woken >= 0, "wake");
    });
    while (word == 0)
        expect(wait_shared(&word, 900) == 0 || errno != ETIMEDOUT, "futex, too long");
    waker.join();
}

// Waits from the first turn to the last, and is frozen with all others in between.
static std::promise<int> kept;
static std::thread keeper;
static std::atomic<int> seen{0};

static void keep(int turn)
{
    if (turn == 0)
        keeper = std::thread([] { seen = kept.get_future().get(); });
    expect(turn == 4 || seen == 0, "a promise kept too soon");
    if (turn != 4)
        return;
    kept.set_value(9);
    keeper.join();
    expect(seen == 9, "a promise kept late");
}

template <int from> static void race_some()
{
    race(std::integer_sequence<int, from, from + 1, from + 2, from + 3, from + 4, from + 5, from + 6, from + 7>());
}

int main()
{
    void (*const races[])() = {race_some<0>, race_some<8>, race_some<16>, race_some<24>, race_some<32>};
    int turn = 0;
    for (std::string line; std::getline(std::cin, line); turn++) {
        fine = true;
        races[turn % 5]();
        futures();
        tasks();
        once();
        shared();
        by_itself();
        keep(turn);
        std::cout << fine << std::endl;
    }
}
