// Python's view of the kernels: checks sizes, releases the GIL, polls for Ctrl-C, reports progress.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "agglomerate.hpp"
#include "assembly.hpp"
#include "balance.hpp"
#include "cells.hpp"
#include "compress.hpp"
#include "csr.hpp"
#include "density_peaks.hpp"
#include "label_spreading.hpp"
#include "level_graph.hpp"
#include "linkage.hpp"
#include "local_moves.hpp"
#include "monitor.hpp"
#include "multilevel.hpp"
#include "shard_moves.hpp"
#include "stretch.hpp"
#include "subtree_moves.hpp"
#include "tree_beliefs.hpp"
#include "tree_levels.hpp"
#include "tree_regions.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

template <class T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Out = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

template <class T>
using Table = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

using Doubles = In<double>;
using Ints = In<std::int32_t>;
using Longs = In<std::int64_t>;

template <class T>
Out<T> to_numpy(std::vector<T> values) {
  auto* held = new std::vector<T>(std::move(values));
  nb::capsule owner(held, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return Out<T>(held->data(), {held->size()}, owner);
}

void require(bool condition, const char* message) {
  if (!condition) throw std::invalid_argument(message);
}

std::int32_t size32(const Longs& indptr) {
  // Joins number their results up to twice the number of vertices.
  require(indptr.size() >= 1, "indptr is empty: it has one entry more than there are vertices");
  require(indptr.size() <= 0x3fffffff, "more than 2^30 - 2 vertices");
  return static_cast<std::int32_t>(indptr.size() - 1);
}

sentree::Csr csr(const Longs& indptr, const Ints& indices, const Doubles& weights) {
  const std::int32_t n = size32(indptr);
  require(indices.size() == weights.size(), "indices and weights differ in length");
  require(indptr.data()[0] == 0, "indptr does not start at 0");
  require(indptr.data()[n] == static_cast<std::int64_t>(indices.size()),
          "indptr does not end at the number of entries");
  return {indptr.data(), indices.data(), weights.data(), n};
}

// The arrays of one graphs, in the order in which every kernel takes them.
struct Arguments {
  Longs indptr;
  Ints indices;
  Doubles weights, degree;
  Longs relation_indptr;
  Ints relation_indices;
  Doubles relation_weights;

  sentree::Graphs graphs() const {
    sentree::Graphs p{csr(indptr, indices, weights),
                      csr(relation_indptr, relation_indices, relation_weights), degree.data()};
    require(p.relation.n == p.graph.n, "graph and relation differ in size");
    require(indices.size() / 2 + relation_indices.size() / 2 < 0x7fffffff,
            "more than 2^31 - 1 edges");
    require(static_cast<std::int32_t>(degree.size()) == p.graph.n, "degree has a wrong length");
    return p;
  }
};

// Ten times a second, lets Python handle signals, asks whether the work of this thread is to be
// stopped, and reports progress to the callback.
class PythonPoll {
 public:
  explicit PythonPoll(nb::object progress)
      : check_(nb::module_::import_("sentree._util.stopping").attr("check")),
        progress_(std::move(progress)) {}

  void operator()(double done) {
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds(100)) return;
    last_ = now;
    nb::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    check_();
    if (!progress_.is_none()) progress_(done);
  }

 private:
  nb::object check_, progress_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// Runs a kernel with the GIL released and a monitor that polls Python.
template <class Kernel>
auto run(const nb::object& progress, Kernel kernel) {
  PythonPoll poll(progress);
  sentree::Monitor monitor([&poll](double done) { poll(done); });
  nb::gil_scoped_release release;
  return kernel(monitor);
}

// The number of threads, and the number of vertices from which on they share the work.
using Sharing = std::pair<std::int32_t, std::int64_t>;

// Gives what a search on a large graph has freed back to the system, so that it does not add to the
// memory of what follows.
class GivesBack {
 public:
  GivesBack(std::int32_t n, const Sharing& sharing) : large_(n >= sharing.second) {}
  GivesBack(const GivesBack&) = delete;
  GivesBack& operator=(const GivesBack&) = delete;
  ~GivesBack() {
#if defined(__GLIBC__)
    if (large_) malloc_trim(0);
#endif
  }

 private:
  [[maybe_unused]] bool large_;
};

using Joins = std::tuple<Out<std::int32_t>, Out<std::int32_t>, Out<double>>;

Joins joins_to_numpy(const std::vector<sentree::Join>& joins) {
  std::vector<std::int32_t> first, second;
  std::vector<double> gain;
  for (const sentree::Join& join : joins) {
    first.push_back(join.first);
    second.push_back(join.second);
    gain.push_back(join.gain);
  }
  return {to_numpy(std::move(first)), to_numpy(std::move(second)), to_numpy(std::move(gain))};
}

// The owners of n modules; empty if there are none.
sentree::Labels checked_owner(const Ints& owner, std::int32_t n) {
  require(owner.size() == 0 || static_cast<std::int32_t>(owner.size()) == n,
          "owners have a wrong length");
  return {owner.data(), owner.data() + owner.size()};
}

Joins merge(Arguments a, std::int32_t fewest_modules, bool must_link_first, Ints owner,
            nb::object progress) {
  const sentree::Graphs graphs = a.graphs();
  sentree::Labels owned = checked_owner(owner, graphs.graph.n);
  return joins_to_numpy(run(progress, [&](sentree::Monitor& monitor) {
    return sentree::merge(graphs, fewest_modules, must_link_first, std::move(owned), monitor);
  }));
}

Joins stretch(Arguments a, bool leaf_penalty, bool must_link_first, nb::object progress) {
  const sentree::Graphs graphs = a.graphs();
  return joins_to_numpy(run(progress, [&](sentree::Monitor& monitor) {
    return sentree::stretch(graphs, leaf_penalty, must_link_first, monitor);
  }));
}

sentree::Labels checked_labels(const Ints& labels, std::int32_t n) {
  require(static_cast<std::int32_t>(labels.size()) == n, "labels have a wrong length");
  std::vector<std::int32_t> copy(labels.data(), labels.data() + labels.size());
  for (const std::int32_t u : copy) require(u >= 0 && u < n, "a label is out of range");
  return copy;
}

// What steers moves beside the graphs: the pull of modules on vertices, and the shrinkage of
// volumes towards their mean over n_modules.
struct Moving {
  Longs pull_indptr;
  Ints pull_indices;
  Doubles pull_weights;
  double shrinkage;
  std::int32_t n_modules;

  sentree::Pull pull(std::int32_t n) const {
    if (pull_indptr.size() == 0) return {};
    const sentree::Csr rows = csr(pull_indptr, pull_indices, pull_weights);
    require(rows.n == n, "the pull has a wrong length");
    for (std::size_t k = 0; k < pull_indices.size(); ++k) {
      require(pull_indices.data()[k] >= 0 && pull_indices.data()[k] < n,
              "a module that pulls is out of range");
    }
    return {rows.indptr, rows.indices, rows.weights};
  }

  // Unless a vertex may found a module of its own, there is room only for the modules there are.
  // The labels are copied, and then freed.
  sentree::LevelPartition start(const sentree::LevelGraph& graph, sentree::Labels labels,
                                bool may_found = false) const {
    require(shrinkage >= 0 && shrinkage <= 1 && n_modules >= 1, "shrinkage is out of range");
    const sentree::PartitionEntropy entropy(graph.total_volume, shrinkage, n_modules);
    std::int32_t most_modules = may_found ? graph.size() : n_modules;
    for (const std::int32_t u : labels) most_modules = std::max(most_modules, u + 1);
    return {graph, labels, entropy, pull(graph.size()), most_modules};
  }
};

std::tuple<Out<std::int32_t>, Out<std::int32_t>, Out<std::int32_t>, Out<double>, std::int32_t> move(
    Arguments a, Ints labels, Longs pull_indptr, Ints pull_indices, Doubles pull_weights,
    double shrinkage, std::int32_t n_modules, double least_gain, std::int32_t most_sweeps,
    bool keep_modules, nb::object progress) {
  const sentree::Graphs graphs = a.graphs();
  const Moving moving{pull_indptr, pull_indices, pull_weights, shrinkage, n_modules};
  sentree::Labels start = checked_labels(labels, graphs.graph.n);
  const sentree::MoveOptions options{least_gain, most_sweeps, keep_modules};
  std::vector<std::int32_t> vertex, module, result;
  std::vector<double> gain;
  const std::int32_t sweeps = run(progress, [&](sentree::Monitor& monitor) {
    const sentree::LevelGraph graph(graphs);
    sentree::LevelPartition partition = moving.start(graph, std::move(start));
    const std::int32_t count =
        sentree::move(partition, graphs.graph.n, options, monitor, [&](const sentree::Step& s) {
          vertex.push_back(s.vertex);
          module.push_back(s.module);
          gain.push_back(s.gain);
        });
    result = partition.labels();
    return count;
  });
  return {to_numpy(std::move(result)), to_numpy(std::move(vertex)), to_numpy(std::move(module)),
          to_numpy(std::move(gain)), sweeps};
}

std::tuple<Out<std::int32_t>, double> move_from_queue(Arguments a, Ints labels, Longs pull_indptr,
                                                      Ints pull_indices, Doubles pull_weights,
                                                      double shrinkage, std::int32_t n_modules,
                                                      Ints queue, double least_gain, bool may_found,
                                                      bool keep_modules, Sharing sharing,
                                                      nb::object progress) {
  const sentree::Graphs graphs = a.graphs();
  const GivesBack after(graphs.graph.n, sharing);
  const Moving moving{pull_indptr, pull_indices, pull_weights, shrinkage, n_modules};
  sentree::Labels result = checked_labels(labels, graphs.graph.n);
  sentree::Labels waiting(queue.data(), queue.data() + queue.size());
  std::vector<char> seen(graphs.graph.n, 0);
  for (const std::int32_t i : waiting) {
    require(i >= 0 && i < graphs.graph.n, "a vertex is out of range");
    require(!seen[i], "a vertex is in the queue twice");
    seen[i] = 1;
  }
  const sentree::SettleOptions options{least_gain, may_found, keep_modules};
  const double gain = run(progress, [&](sentree::Monitor& monitor) {
    const sentree::LevelGraph graph(graphs);
    sentree::LevelPartition partition = moving.start(graph, std::move(result), may_found);
    sentree::Crew crew(sharing.first, sharing.second);
    if (crew.shares(
            static_cast<std::int64_t>(waiting.size()))) {  // neighbours in one block are few
      std::mt19937_64 random(0);
      sentree::shuffle(waiting, random);
    }
    const double sum =
        sentree::settle(graph, partition, std::move(waiting), options, crew, monitor);
    result = partition.labels();
    return sum;
  });
  return {to_numpy(std::move(result)), gain};
}

std::tuple<Out<std::int32_t>, double> balance(Arguments a, Ints labels, Longs pull_indptr,
                                              Ints pull_indices, Doubles pull_weights,
                                              double shrinkage, std::int32_t n_modules,
                                              Doubles size, std::int32_t n_samples, double least,
                                              double most, double price, double least_gain,
                                              nb::object progress) {
  const sentree::Graphs graphs = a.graphs();
  const Moving moving{pull_indptr, pull_indices, pull_weights, shrinkage, n_modules};
  sentree::Labels result = checked_labels(labels, graphs.graph.n);
  require(static_cast<std::int32_t>(size.size()) == graphs.graph.n, "sizes have a wrong length");
  require(n_samples >= 0 && n_samples <= graphs.graph.n, "the number of samples is out of range");
  for (const std::int32_t u : result) require(u < n_modules, "a label is out of range");
  for (std::size_t i = 0; i < size.size(); ++i) require(size.data()[i] >= 0, "a size is below 0");
  const sentree::SizeOptions options{least, most, price, n_samples, n_modules, least_gain};
  const double gain = run(progress, [&](sentree::Monitor& monitor) {
    const sentree::LevelGraph graph(graphs);
    sentree::LevelPartition partition = moving.start(graph, std::move(result));
    sentree::Balance moves(graph, partition, size.data(), options, monitor);
    const double sum = moves.run();
    result = partition.labels();
    return sum;
  });
  return {to_numpy(std::move(result)), gain};
}

std::tuple<Out<std::int32_t>, Out<double>> multilevel(Arguments a, Ints labels, std::uint64_t seed,
                                                      std::int32_t most_rounds, double least_gain,
                                                      Sharing sharing, nb::object progress) {
  const sentree::Graphs graphs = a.graphs();
  const GivesBack after(graphs.graph.n, sharing);
  sentree::Labels result = checked_labels(labels, graphs.graph.n);
  const sentree::MultilevelOptions options{seed, most_rounds, least_gain};
  std::vector<double> gains = run(progress, [&](sentree::Monitor& monitor) {
    sentree::Crew crew(sharing.first, sharing.second);
    return sentree::multilevel(graphs, result, options, crew, monitor);
  });
  return {to_numpy(std::move(result)), to_numpy(std::move(gains))};
}

using Sparse = std::tuple<Out<std::int64_t>, Out<std::int32_t>, Out<double>>;

Sparse rows_to_numpy(sentree::Rows rows) {
  return {to_numpy(std::move(rows.indptr)), to_numpy(std::move(rows.indices)),
          to_numpy(std::move(rows.weights))};
}

// A shard, after checks of its arrays; there are n_columns vertices in all.
sentree::Shard shard_of(const Longs& indptr, const Ints& indices, const Doubles& weights,
                        const Doubles& degree, const Doubles& inner, std::int32_t n_columns,
                        double total_volume) {
  const sentree::Csr rows = csr(indptr, indices, weights);
  require(static_cast<std::int32_t>(degree.size()) == rows.n, "degree has a wrong length");
  require(static_cast<std::int32_t>(inner.size()) == rows.n, "inner has a wrong length");
  require(n_columns >= rows.n, "there are fewer columns than rows");
  require(total_volume > 0, "the volume of the graph is not above 0");
  for (std::size_t e = 0; e < indices.size(); ++e) {
    require(indices.data()[e] >= 0 && indices.data()[e] < n_columns, "a column is out of range");
  }
  return {rows, degree.data(), inner.data(), total_volume};
}

Out<std::int32_t> unite_inside(Longs indptr, Ints indices, Doubles weights, Doubles degree,
                               Doubles inner, std::int32_t n_columns, double total_volume,
                               double most_volume, std::uint64_t seed, double least_gain) {
  const sentree::Shard shard =
      shard_of(indptr, indices, weights, degree, inner, n_columns, total_volume);
  return to_numpy(run(nb::none(), [&](sentree::Monitor& monitor) {
    return sentree::unite_inside(shard, most_volume, seed, least_gain, monitor);
  }));
}

std::tuple<Out<std::int32_t>, Out<std::int32_t>, Out<double>, Out<double>> decide(
    Longs indptr, Ints indices, Doubles weights, Doubles degree, Doubles inner, Ints labels,
    double total_volume, Doubles association, Doubles volume, double shrinkage, Ints vertices,
    double least_gain) {
  const sentree::Shard shard = shard_of(indptr, indices, weights, degree, inner,
                                        static_cast<std::int32_t>(labels.size()), total_volume);
  require(association.size() == volume.size(), "association and volume differ in length");
  std::vector<sentree::Module> modules;
  for (std::size_t u = 0; u < volume.size(); ++u) {
    modules.push_back({association.data()[u], volume.data()[u]});
  }
  for (std::size_t j = 0; j < labels.size(); ++j) {
    require(labels.data()[j] >= 0 && static_cast<std::size_t>(labels.data()[j]) < modules.size(),
            "a label is out of range");
  }
  std::vector<std::int32_t> asked(vertices.data(), vertices.data() + vertices.size());
  for (const std::int32_t i : asked) {
    require(i >= 0 && i < shard.rows.n, "a vertex is out of range");
  }
  const std::vector<sentree::ShardMove> moves = run(nb::none(), [&](sentree::Monitor& monitor) {
    return sentree::decide(shard, labels.data(), modules, shrinkage, asked, least_gain, monitor);
  });
  std::vector<std::int32_t> vertex, to;
  std::vector<double> from_weight, to_weight;
  for (const sentree::ShardMove& move : moves) {
    vertex.push_back(move.vertex);
    to.push_back(move.to);
    from_weight.push_back(move.from_weight);
    to_weight.push_back(move.to_weight);
  }
  return {to_numpy(std::move(vertex)), to_numpy(std::move(to)), to_numpy(std::move(from_weight)),
          to_numpy(std::move(to_weight))};
}

Joins link(Arguments a, Ints labels, double least_linkage, std::int32_t fewest_modules,
           double lesser, double greater, Ints owner, std::int32_t many, Sharing sharing,
           nb::object progress) {
  const sentree::Graphs graphs = a.graphs();
  const GivesBack after(graphs.graph.n, sharing);
  sentree::Labels modules = checked_labels(labels, graphs.graph.n);
  const std::int32_t n_modules = sentree::compact(modules, graphs.graph.n);
  require(lesser >= 0 && greater >= 0, "powers of volumes are at least 0");
  const sentree::LinkOptions options{
      least_linkage, fewest_modules, lesser, greater, checked_owner(owner, n_modules), many};
  return joins_to_numpy(run(progress, [&](sentree::Monitor& monitor) {
    sentree::Crew crew(sharing.first, sharing.second);
    return sentree::link(graphs, modules, n_modules, options, crew, monitor);
  }));
}

// The weights between modules, whose rows are in no order.
Sparse contracted(Arguments a, Ints labels, std::int32_t n_modules, Sharing sharing) {
  const sentree::Graphs graphs = a.graphs();
  const sentree::Labels modules = checked_labels(labels, graphs.graph.n);
  for (const std::int32_t u : modules) require(u < n_modules, "a label is out of range");
  return rows_to_numpy(run(nb::none(), [&](sentree::Monitor&) {
    sentree::Crew crew(sharing.first, sharing.second);
    return sentree::LevelGraph(graphs).contracted(modules, n_modules, crew);
  }));
}

Out<double> module_cuts(Longs indptr, Ints indices, Doubles weights, Ints labels,
                        std::int32_t n_modules, Sharing sharing) {
  const sentree::Csr graph = csr(indptr, indices, weights);
  require(static_cast<std::int32_t>(labels.size()) == graph.n, "labels have a wrong length");
  for (std::size_t i = 0; i < labels.size(); ++i) {
    require(labels.data()[i] >= 0 && labels.data()[i] < n_modules, "a label is out of range");
  }
  return to_numpy(run(nb::none(), [&](sentree::Monitor& monitor) {
    sentree::Crew crew(sharing.first, sharing.second);
    return sentree::module_cuts(graph, labels.data(), n_modules, crew, monitor);
  }));
}

// Rows of numbers and their cells; `what` names them in errors.
sentree::CellRows cell_rows(const Table<float>& values, const Table<std::int32_t>& cells,
                            std::int32_t n_cells, const char* what) {
  const std::size_t most = 0x7fffffff;
  require(values.shape(0) <= most && values.shape(1) <= most, what);
  require(cells.shape(0) == values.shape(0) && cells.shape(1) <= most, what);
  for (std::size_t k = 0; k < cells.size(); ++k) require(cells.data()[k] < n_cells, what);
  return {values.data(), cells.data(), static_cast<std::int32_t>(values.shape(0)),
          static_cast<std::int32_t>(values.shape(1)), static_cast<std::int32_t>(cells.shape(1))};
}

std::tuple<Out<std::int32_t>, Out<float>> nearest_in_cells(
    Table<float> queries, Table<std::int32_t> query_cells, Table<float> members,
    Table<std::int32_t> member_cells, Ints own, std::int32_t n_cells, std::int32_t p,
    std::int32_t threads, nb::object progress) {
  const sentree::CellRows asked = cell_rows(queries, query_cells, n_cells, "queries do not fit");
  const sentree::CellRows found = cell_rows(members, member_cells, n_cells, "members do not fit");
  require(asked.width == found.width, "queries and members differ in features");
  require(p >= 1 && threads >= 1, "there must be a neighbour to seek and a thread to do so");
  require(own.size() == 0 || own.size() == queries.shape(0), "own has a wrong length");
  std::vector<std::int32_t> ids(static_cast<std::size_t>(asked.n) * p);
  std::vector<float> distances(ids.size());
  run(progress, [&](sentree::Monitor& monitor) {
    sentree::Crew crew(threads);
    const sentree::CellSearch search(asked, found, n_cells, p, own.size() ? own.data() : nullptr,
                                     crew);
    search.run(ids.data(), distances.data(), crew, monitor);
  });
  return {to_numpy(std::move(ids)), to_numpy(std::move(distances))};
}

void merge_lists(nb::ndarray<std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu> ids,
                 nb::ndarray<float, nb::ndim<2>, nb::c_contig, nb::device::cpu> distances,
                 Longs rows, Table<std::int32_t> more_ids, Table<float> more_distances,
                 std::int32_t threads) {
  const std::size_t p = ids.shape(1);
  require(distances.shape(0) == ids.shape(0) && distances.shape(1) == p &&
              more_ids.shape(0) == rows.size() && more_ids.shape(1) == p &&
              more_distances.shape(0) == rows.size() && more_distances.shape(1) == p,
          "lists differ in length");
  for (std::size_t r = 0; r < rows.size(); ++r) {
    require(rows.data()[r] >= 0 && rows.data()[r] < static_cast<std::int64_t>(ids.shape(0)),
            "a row is out of range");
  }
  nb::gil_scoped_release release;
  sentree::Crew crew(threads);
  sentree::merge_lists(ids.data(), distances.data(), static_cast<std::int32_t>(p), rows.data(),
                       static_cast<std::int64_t>(rows.size()), more_ids.data(),
                       more_distances.data(), crew);
}

// The rows of a sparse matrix never run backwards, and their indices are in range.
sentree::Csr checked_rows(const Longs& indptr, const Ints& indices, const Doubles& weights) {
  const sentree::Csr rows = csr(indptr, indices, weights);
  for (std::int32_t i = 0; i < rows.n; ++i) {
    require(rows.indptr[i] <= rows.indptr[i + 1], "indptr falls");
  }
  return rows;
}

Sparse both_ways(Longs indptr, Ints indices, Doubles weights, Sharing sharing) {
  const sentree::Csr found = checked_rows(indptr, indices, weights);
  for (std::size_t e = 0; e < indices.size(); ++e) {
    require(indices.data()[e] >= 0 && indices.data()[e] < found.n, "a neighbour is out of range");
  }
  return rows_to_numpy(run(nb::none(), [&](sentree::Monitor&) {
    sentree::Crew crew(sharing.first, sharing.second);
    return sentree::Assembly(found, crew).run();
  }));
}

bool is_graph(Longs indptr, Ints indices, Doubles weights, Sharing sharing) {
  const sentree::Csr graph = checked_rows(indptr, indices, weights);
  nb::gil_scoped_release released;
  sentree::Crew crew(sharing.first, sharing.second);
  return sentree::is_graph(graph, crew);
}

Out<std::int32_t> components(Longs indptr, Ints indices, Doubles weights) {
  const sentree::Csr graph = csr(indptr, indices, weights);
  return to_numpy(run(nb::none(), [&](sentree::Monitor&) { return sentree::components(graph); }));
}

Out<double> strongest_limits(Longs indptr, Ints indices, Doubles weights, std::int32_t most,
                             Sharing sharing) {
  const sentree::Csr graph = csr(indptr, indices, weights);
  require(most >= 1, "at least one edge of a vertex counts");
  return to_numpy(run(nb::none(), [&](sentree::Monitor& monitor) {
    sentree::Crew crew(sharing.first, sharing.second);
    return sentree::strongest_limits(graph, most, crew, monitor);
  }));
}

Sparse sharpened(Longs indptr, Ints indices, Doubles weights, std::int32_t most, double power,
                 Sharing sharing, nb::object progress) {
  const sentree::Csr graph = csr(indptr, indices, weights);
  require(most >= 1, "at least one edge of a vertex counts");
  return rows_to_numpy(run(progress, [&](sentree::Monitor& monitor) {
    sentree::Crew crew(sharing.first, sharing.second);
    return sentree::sharpened(graph, most, power, crew, monitor);
  }));
}

std::tuple<Out<std::int32_t>, double> density_clusters(Ints i, Ints j, Doubles height,
                                                       std::int32_t n, std::int32_t few,
                                                       std::int32_t many, Doubles rise, double sure,
                                                       nb::object progress) {
  require(i.size() == j.size() && i.size() == height.size(), "ends and heights differ in length");
  require(few >= 1, "a peak has at least one vertex");
  for (std::size_t e = 0; e < i.size(); ++e) {
    require(i.data()[e] >= 0 && i.data()[e] < n && j.data()[e] >= 0 && j.data()[e] < n,
            "an end is out of range");
  }
  const sentree::PeakSize size{few, many, {rise.data(), rise.data() + rise.size()}, sure};
  auto found = run(progress, [&](sentree::Monitor& monitor) {
    return sentree::density_clusters(i.data(), j.data(), height.data(), i.size(), n, size, monitor);
  });
  return {to_numpy(std::move(found.label)), found.clearest};
}

sentree::UnitTree unit_tree(Ints heavy, Ints light, std::int32_t n, std::int32_t root) {
  require(heavy.size() == light.size(), "ends of edges differ in number");
  require(root >= 0 && root < n, "the root is out of range");
  for (std::size_t e = 0; e < heavy.size(); ++e) {
    require(
        heavy.data()[e] >= 0 && heavy.data()[e] < n && light.data()[e] >= 0 && light.data()[e] < n,
        "a unit is out of range");
  }
  return {heavy.data(), light.data(), heavy.size(), root};
}

// Beliefs (row by row), probabilities of cuts, and the log likelihood; only the last if not `all`.
std::tuple<Out<double>, Out<double>, double> tree_beliefs(Ints heavy, Ints light, std::int32_t root,
                                                          Doubles cut, In<std::uint8_t> kind,
                                                          Doubles share, std::int32_t n_classes,
                                                          Doubles evidence, bool all) {
  require(n_classes > 0, "there are no classes");
  const auto k = static_cast<std::size_t>(n_classes);
  require(share.size() >= k && share.size() % k == 0, "shares have a row of classes for each kind");
  require(evidence.size() % k == 0, "evidence has a row of classes for every unit");
  require(cut.size() == heavy.size() && kind.size() == heavy.size(),
          "edges, cuts and kinds differ in number");
  for (std::size_t e = 0; e < kind.size(); ++e) {
    require(kind.data()[e] < share.size() / k, "a kind is out of range");
  }
  const auto n = static_cast<std::int32_t>(evidence.size() / k);
  const sentree::UnitTree tree = unit_tree(heavy, light, n, root);
  std::vector<double> beliefs, cuts;
  double likelihood = 0.0;
  {
    nb::gil_scoped_release released;
    sentree::TreeBeliefs found(tree, cut.data(), kind.data(),
                               {share.data(), share.data() + share.size()}, n_classes,
                               {evidence.data(), evidence.data() + evidence.size()});
    likelihood = found.log_likelihood();
    if (all) {
      beliefs = found.beliefs();
      cuts = found.cuts();
    }
  }
  return {to_numpy(std::move(beliefs)), to_numpy(std::move(cuts)), likelihood};
}

// Sums (or the greatest) of values over the tree, each times the product of `kept` on the way.
Out<double> tree_reach(Ints heavy, Ints light, std::int32_t root, Doubles kept, Doubles value,
                       bool greatest) {
  require(kept.size() == heavy.size(), "edges and factors differ in number");
  const auto n = static_cast<std::int32_t>(value.size());
  const sentree::UnitTree tree = unit_tree(heavy, light, n, root);
  std::vector<double> values(value.data(), value.data() + value.size());
  return to_numpy(greatest ? sentree::nearest(tree, kept.data(), std::move(values))
                           : sentree::reached(tree, kept.data(), std::move(values)));
}

// The beliefs, vertices by classes. With limits, labels spread over sharpened edges.
Sparse spread_labels(Longs indptr, Ints indices, Doubles weights, Doubles limit, double power,
                     Ints index, Ints code, std::int32_t n_classes, std::int32_t most_shares,
                     double least_share, std::int32_t most_sweeps, double least_change,
                     Sharing sharing, nb::object progress) {
  const sentree::Csr graph = csr(indptr, indices, weights);
  const GivesBack after(graph.n, sharing);
  require(limit.size() == 0 || static_cast<std::int32_t>(limit.size()) == graph.n,
          "limits have a wrong length");
  require(index.size() == code.size(), "labels and classes differ in length");
  for (std::size_t k = 0; k < index.size(); ++k) {
    require(index.data()[k] >= 0 && index.data()[k] < graph.n, "a label is out of range");
    require(code.data()[k] >= 0 && code.data()[k] < n_classes, "a class is out of range");
  }
  const sentree::Labels labelled(index.data(), index.data() + index.size());
  const sentree::Labels classes(code.data(), code.data() + code.size());
  return rows_to_numpy(run(progress, [&](sentree::Monitor& monitor) {
    sentree::Crew crew(sharing.first, sharing.second);
    sentree::Beliefs none(graph.n, n_classes, most_shares, least_share);
    const auto spread = [&](const auto& edges) {
      return sentree::spread_labels(edges, labelled, classes, std::move(none), most_sweeps,
                                    least_change, crew, monitor)
          .rows();
    };
    if (limit.size() == 0) return spread(sentree::PlainEdges{graph});
    return spread(sentree::SharpEdges{graph, limit.data(), sentree::largest_weight(graph), power});
  }));
}

double move_gain(Arguments a, Ints labels, Longs pull_indptr, Ints pull_indices,
                 Doubles pull_weights, double shrinkage, std::int32_t n_modules, std::int32_t i,
                 std::int32_t to) {
  const sentree::Graphs graphs = a.graphs();
  const Moving moving{pull_indptr, pull_indices, pull_weights, shrinkage, n_modules};
  require(i >= 0 && i < graphs.graph.n && to >= 0 && to < graphs.graph.n, "move is out of range");
  const sentree::LevelGraph graph(graphs);
  sentree::LevelPartition partition =
      moving.start(graph, checked_labels(labels, graphs.graph.n), true);
  return partition.gain(i, to);
}

std::vector<std::int32_t> checked_tree(const Ints& parent, std::int32_t n_leaves) {
  const auto n_nodes = static_cast<std::int32_t>(parent.size());
  require(n_leaves >= 1 && n_nodes >= n_leaves, "the number of leaves is wrong");
  for (std::int32_t node = 0; node + 1 < n_nodes; ++node) {
    require(parent.data()[node] > node && parent.data()[node] < n_nodes,
            "a node does not precede its parent");
  }
  return {parent.data(), parent.data() + n_nodes};
}

std::tuple<Out<std::int32_t>, Out<double>> compress(Ints parent, Doubles volume, Doubles cut,
                                                    Doubles relation_cut, std::int32_t n_leaves,
                                                    std::int32_t height, bool leaf_penalty,
                                                    nb::object progress) {
  require(parent.size() == volume.size() && parent.size() == cut.size() &&
              parent.size() == relation_cut.size(),
          "the arrays of the tree differ in length");
  checked_tree(parent, n_leaves);
  const sentree::Tree tree{parent.data(),
                           volume.data(),
                           cut.data(),
                           relation_cut.data(),
                           static_cast<std::int32_t>(parent.size()),
                           n_leaves};
  std::vector<std::int32_t> node;
  std::vector<double> gain;
  run(progress, [&](sentree::Monitor& monitor) {
    for (const sentree::Removal& r :
         sentree::Compression(tree, leaf_penalty).run(height, monitor)) {
      node.push_back(r.node);
      gain.push_back(r.gain);
    }
    return 0;
  });
  return {to_numpy(std::move(node)), to_numpy(std::move(gain))};
}

Out<std::int32_t> grow(Arguments a, Ints clusters, Ints triplets, Doubles triplet_weights,
                       bool leaf_penalty, std::int32_t height, std::uint64_t seed,
                       std::int32_t most_rounds, double least_gain, Sharing sharing,
                       nb::object progress) {
  const sentree::Graphs graphs = a.graphs();
  sentree::Labels start;
  if (clusters.size() > 0) start = checked_labels(clusters, graphs.graph.n);
  require(triplets.size() == 3 * triplet_weights.size(), "triplets and weights differ in length");
  sentree::Triplets wishes;
  for (std::size_t t = 0; t < triplet_weights.size(); ++t) {
    const std::int32_t* v = triplets.data() + 3 * t;
    for (int m = 0; m < 3; ++m) {
      require(v[m] >= 0 && v[m] < graphs.graph.n, "a triplet is out of range");
    }
    wishes.push_back({{v[0], v[1], v[2]}, triplet_weights.data()[t]});
  }
  const sentree::MultilevelOptions options{seed, most_rounds, least_gain};
  return to_numpy(run(progress, [&](sentree::Monitor& monitor) {
    sentree::Crew crew(sharing.first, sharing.second);
    sentree::LevelGraph leaves = sentree::leaf_graph(graphs, leaf_penalty);
    if (height > 0) {
      return sentree::TreeLevels(std::move(leaves), std::move(wishes), options, crew, monitor)
          .run(height, start);
    }
    sentree::GroupSearch search(options, crew, monitor);
    return sentree::TreeGrowth(graphs.graph.n, search)
        .run(std::move(leaves), start, std::move(wishes));
  }));
}

std::tuple<Out<double>, Out<double>, Out<double>> measure(Arguments a, Ints parent) {
  const sentree::Graphs graphs = a.graphs();
  const sentree::Parents tree = checked_tree(parent, graphs.graph.n);
  sentree::Measures found = run(nb::none(), [&](sentree::Monitor& monitor) {
    return sentree::measure(graphs, tree, monitor);
  });
  return {to_numpy(std::move(found.volume)), to_numpy(std::move(found.cut)),
          to_numpy(std::move(found.relation_cut))};
}

std::tuple<Out<std::int32_t>, Out<double>> graft(Arguments a, Ints parent, Ints clusters,
                                                 bool leaf_penalty, std::int32_t height,
                                                 std::int32_t most_rounds, double least_gain,
                                                 Sharing sharing, nb::object progress) {
  const sentree::Graphs graphs = a.graphs();
  sentree::Parents tree = checked_tree(parent, graphs.graph.n);
  sentree::Labels kept;
  if (clusters.size() > 0) kept = checked_labels(clusters, graphs.graph.n);
  const sentree::SubtreeMoveOptions options{most_rounds, height, least_gain};
  std::vector<double> gains = run(progress, [&](sentree::Monitor& monitor) {
    sentree::Crew crew(sharing.first, sharing.second);
    const sentree::LevelGraph leaves = sentree::leaf_graph(graphs, leaf_penalty);
    return sentree::move_subtrees(leaves, tree, kept, options, crew, monitor);
  });
  return {to_numpy(std::move(tree)), to_numpy(std::move(gains))};
}

// Lets every kernel take the arrays of a graphs as its first seven arguments.
template <class Result, class... Rest>
auto with_graphs(Result (*kernel)(Arguments, Rest...)) {
  return
      [kernel](Longs indptr, Ints indices, Doubles weights, Doubles degree, Longs relation_indptr,
               Ints relation_indices, Doubles relation_weights, Rest... rest) {
        return kernel(
            {indptr, indices, weights, degree, relation_indptr, relation_indices, relation_weights},
            std::move(rest)...);
      };
}

}  // namespace

NB_MODULE(_kernels, module) {
  module.doc() =
      "Compiled kernels of sentree; called through sentree.search.kernels and sentree.graph only.";
#ifdef SENTREE_SANITIZE
  module.attr("sanitized") = true;
#else
  module.attr("sanitized") = false;
#endif
  module.def("merge", with_graphs(&merge), "indptr"_a, "indices"_a, "weights"_a, "degree"_a,
             "relation_indptr"_a, "relation_indices"_a, "relation_weights"_a, "fewest_modules"_a,
             "must_link_first"_a, "owner"_a, "progress"_a.none());
  module.def("stretch", with_graphs(&stretch), "indptr"_a, "indices"_a, "weights"_a, "degree"_a,
             "relation_indptr"_a, "relation_indices"_a, "relation_weights"_a, "leaf_penalty"_a,
             "must_link_first"_a, "progress"_a.none());
  module.def("move", with_graphs(&move), "indptr"_a, "indices"_a, "weights"_a, "degree"_a,
             "relation_indptr"_a, "relation_indices"_a, "relation_weights"_a, "labels"_a,
             "pull_indptr"_a, "pull_indices"_a, "pull_weights"_a, "shrinkage"_a, "n_modules"_a,
             "least_gain"_a, "most_sweeps"_a, "keep_modules"_a, "progress"_a.none());
  module.def("move_from_queue", with_graphs(&move_from_queue), "indptr"_a, "indices"_a, "weights"_a,
             "degree"_a, "relation_indptr"_a, "relation_indices"_a, "relation_weights"_a,
             "labels"_a, "pull_indptr"_a, "pull_indices"_a, "pull_weights"_a, "shrinkage"_a,
             "n_modules"_a, "queue"_a, "least_gain"_a, "may_found"_a, "keep_modules"_a, "sharing"_a,
             "progress"_a.none());
  module.def("balance", with_graphs(&balance), "indptr"_a, "indices"_a, "weights"_a, "degree"_a,
             "relation_indptr"_a, "relation_indices"_a, "relation_weights"_a, "labels"_a,
             "pull_indptr"_a, "pull_indices"_a, "pull_weights"_a, "shrinkage"_a, "n_modules"_a,
             "size"_a, "n_samples"_a, "least"_a, "most"_a, "price"_a, "least_gain"_a,
             "progress"_a.none());
  module.def("multilevel", with_graphs(&multilevel), "indptr"_a, "indices"_a, "weights"_a,
             "degree"_a, "relation_indptr"_a, "relation_indices"_a, "relation_weights"_a,
             "labels"_a, "seed"_a, "most_rounds"_a, "least_gain"_a, "sharing"_a,
             "progress"_a.none());
  module.def("unite_inside", &unite_inside, "indptr"_a, "indices"_a, "weights"_a, "degree"_a,
             "inner"_a, "n_columns"_a, "total_volume"_a, "most_volume"_a, "seed"_a, "least_gain"_a);
  module.def("decide", &decide, "indptr"_a, "indices"_a, "weights"_a, "degree"_a, "inner"_a,
             "labels"_a, "total_volume"_a, "association"_a, "volume"_a, "shrinkage"_a, "vertices"_a,
             "least_gain"_a);
  module.def("link", with_graphs(&link), "indptr"_a, "indices"_a, "weights"_a, "degree"_a,
             "relation_indptr"_a, "relation_indices"_a, "relation_weights"_a, "labels"_a,
             "least_linkage"_a, "fewest_modules"_a, "lesser"_a, "greater"_a, "owner"_a, "many"_a,
             "sharing"_a, "progress"_a.none());
  module.def("move_gain", with_graphs(&move_gain), "indptr"_a, "indices"_a, "weights"_a, "degree"_a,
             "relation_indptr"_a, "relation_indices"_a, "relation_weights"_a, "labels"_a,
             "pull_indptr"_a, "pull_indices"_a, "pull_weights"_a, "shrinkage"_a, "n_modules"_a,
             "i"_a, "to"_a);
  module.def("contracted", with_graphs(&contracted), "indptr"_a, "indices"_a, "weights"_a,
             "degree"_a, "relation_indptr"_a, "relation_indices"_a, "relation_weights"_a,
             "labels"_a, "n_modules"_a, "sharing"_a);
  module.def("module_cuts", &module_cuts, "indptr"_a, "indices"_a, "weights"_a, "labels"_a,
             "n_modules"_a, "sharing"_a);
  module.def("nearest_in_cells", &nearest_in_cells, "queries"_a, "query_cells"_a, "members"_a,
             "member_cells"_a, "own"_a, "n_cells"_a, "p"_a, "threads"_a, "progress"_a.none());
  module.def("merge_lists", &merge_lists, "ids"_a, "distances"_a, "rows"_a, "more_ids"_a,
             "more_distances"_a, "threads"_a);
  module.def("both_ways", &both_ways, "indptr"_a, "indices"_a, "weights"_a, "sharing"_a);
  module.def("is_graph", &is_graph, "indptr"_a, "indices"_a, "weights"_a, "sharing"_a);
  module.def("components", &components, "indptr"_a, "indices"_a, "weights"_a);
  module.def("sharpened", &sharpened, "indptr"_a, "indices"_a, "weights"_a, "most"_a, "power"_a,
             "sharing"_a, "progress"_a.none());
  module.def("density_clusters", &density_clusters, "i"_a, "j"_a, "height"_a, "n"_a, "few"_a,
             "many"_a, "rise"_a, "sure"_a, "progress"_a.none());
  module.def("strongest_limits", &strongest_limits, "indptr"_a, "indices"_a, "weights"_a, "most"_a,
             "sharing"_a);
  module.def("spread_labels", &spread_labels, "indptr"_a, "indices"_a, "weights"_a, "limit"_a,
             "power"_a, "index"_a, "code"_a, "n_classes"_a, "most_shares"_a, "least_share"_a,
             "most_sweeps"_a, "least_change"_a, "sharing"_a, "progress"_a.none());
  module.def("tree_beliefs", &tree_beliefs, "heavy"_a, "light"_a, "root"_a, "cut"_a, "kind"_a,
             "share"_a, "n_classes"_a, "evidence"_a, "all"_a);
  module.def("tree_reach", &tree_reach, "heavy"_a, "light"_a, "root"_a, "kept"_a, "value"_a,
             "greatest"_a);
  module.def("grow", with_graphs(&grow), "indptr"_a, "indices"_a, "weights"_a, "degree"_a,
             "relation_indptr"_a, "relation_indices"_a, "relation_weights"_a, "clusters"_a,
             "triplets"_a, "triplet_weights"_a, "leaf_penalty"_a, "height"_a, "seed"_a,
             "most_rounds"_a, "least_gain"_a, "sharing"_a, "progress"_a.none());
  module.def("measure", with_graphs(&measure), "indptr"_a, "indices"_a, "weights"_a, "degree"_a,
             "relation_indptr"_a, "relation_indices"_a, "relation_weights"_a, "parent"_a);
  module.def("graft", with_graphs(&graft), "indptr"_a, "indices"_a, "weights"_a, "degree"_a,
             "relation_indptr"_a, "relation_indices"_a, "relation_weights"_a, "parent"_a,
             "clusters"_a, "leaf_penalty"_a, "height"_a, "most_rounds"_a, "least_gain"_a,
             "sharing"_a, "progress"_a.none());
  module.def("compress", &compress, "parent"_a, "volume"_a, "cut"_a, "relation_cut"_a, "n_leaves"_a,
             "height"_a, "leaf_penalty"_a, "progress"_a.none());
}
